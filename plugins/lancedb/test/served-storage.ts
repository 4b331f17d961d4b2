import type { Storage, StorageContext } from "@membus/plugin-kit";
import { createLanceStorage } from "../src/index.js";

/** Creates the storage for the storage suite, also in its processes. */
export function createStorage(place: StorageContext): Storage {
  return createLanceStorage(place);
}
