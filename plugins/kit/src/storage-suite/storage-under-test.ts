import { integerOption, resolveOptions } from "@membus/protocol";
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

export interface StorageSuiteOptions {
  /**
   * Number of kills in each check that kills a process, 1..1000.
   * @default 3
   */
  readonly killCount?: number;
  /**
   * Number of rows in the volume checks, 1000..1000000.
   * @default 3000
   */
  readonly rowCount?: number;
  /**
   * Time limit of one check. Milliseconds, 1000..86400000.
   * @default 120000
   */
  readonly checkTimeoutMs?: number;
}

export type ResolvedStorageSuiteOptions = Required<StorageSuiteOptions>;

export const STORAGE_SUITE_DEFAULTS: ResolvedStorageSuiteOptions = Object.freeze({
  killCount: 3,
  rowCount: 3_000,
  checkTimeoutMs: 120_000,
});

/** Applies the defaults. @throws {TypeError} for an unknown option or a value out of range. */
export function resolveStorageSuiteOptions(input: StorageSuiteOptions): ResolvedStorageSuiteOptions {
  return resolveOptions<ResolvedStorageSuiteOptions>(input, STORAGE_SUITE_DEFAULTS, {
    killCount: integerOption(1, 1_000),
    rowCount: integerOption(1_000, 1_000_000),
    checkTimeoutMs: integerOption(1_000, 86_400_000),
  });
}
