import type { Storage, StorageContext } from "../../src/index.js";

/** A storage with one realistic defect, the check that has to find it, and the expected failure. */
export interface StorageMutant {
  readonly name: string;
  readonly check: string;
  readonly failure: RegExp;
  readonly storage: new (place: StorageContext) => Storage;
}
