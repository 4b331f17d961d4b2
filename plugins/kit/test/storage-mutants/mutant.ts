import type { Storage, StorageContext } from "../../src/index.js";

/** A storage with one realistic defect, the check that has to find it, and the expected failure. */
export interface StorageMutant {
  readonly name: string;
  readonly check: string;
  readonly failure: RegExp;
  /** Number of kills for a check that kills at random moments, enough to find the defect. */
  readonly killCount?: number;
  readonly storage: new (place: StorageContext) => Storage;
}
