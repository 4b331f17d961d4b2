import type { Storage, StoragePlace } from "../../src/index.js";
import { LinesStorage } from "./lines-storage.js";

export function createStorage(place: StoragePlace): Storage {
  return new LinesStorage(place);
}
