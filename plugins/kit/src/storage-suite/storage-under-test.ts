import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import type { Storage, StorageContext } from "../storage.js";

export interface StorageUnderTest {
  /** Name in the title. */
  readonly name: string;
  /** Creates the storage for `KitPlugin`: a new, unopened instance. */
  createStorage(place: StorageContext): Storage;
  /** URL of a module that exports the same `createStorage`. Other processes load it and are killed. */
  readonly module: string;
  /** Node arguments of those processes, for example a TypeScript loader. None by default. */
  readonly nodeArguments?: readonly string[];
}

export const StorageSuiteOptionsSchema = optionSet({
  /** Number of kills in each check that kills a process. */
  killCount: option.integer(1, 1_000).default(3),
  /** Number of rows in the volume checks. The default is more than a batch of a usual reader. */
  rowCount: option.integer(1_000, 1_000_000).default(9_000),
  /** Time limit of one check, in milliseconds. */
  checkTimeoutMs: option.integer(1_000, 86_400_000).default(120_000),
});

export interface StorageSuiteOptions extends OptionsOf<typeof StorageSuiteOptionsSchema> {}
export interface ResolvedStorageSuiteOptions extends ResolvedOptionsOf<typeof StorageSuiteOptionsSchema> {}
