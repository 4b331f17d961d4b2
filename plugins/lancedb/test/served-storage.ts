import type { Storage, StoragePlace } from "@membus/plugin-kit";
import { createLanceStorage } from "../src/index.js";

/** As the suite for storages wants it, in its processes too. */
export function createStorage(place: StoragePlace): Storage {
  return createLanceStorage(place);
}
