import type { Storage, StoragePlace } from "../../src/index.js";

/** A storage with one realistic defect, the check that has to find it, and what that check has to say. */
export interface StorageMutant {
  readonly name: string;
  readonly check: string;
  readonly says: RegExp;
  /** Of a check that kills at random moments: kills until it must have met the right one. */
  readonly killCount?: number;
  readonly storage: new (place: StoragePlace) => Storage;
}
