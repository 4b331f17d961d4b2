import { integerOption, resolveOptions } from "@membus/protocol";
import type { Storage, StoragePlace } from "../storage.js";

export interface StorageUnderTest {
  /** Stands in the title. */
  readonly name: string;
  /** What `KitPlugin` gets as its `storage`: a new instance, not opened. */
  createStorage(place: StoragePlace): Storage;
  /** The URL of a module that exports `createStorage`, the same: other processes load it, and are killed. */
  readonly module: string;
  /** Of Node in those processes, such as what loads TypeScript; none unless given. */
  readonly nodeArguments?: readonly string[];
}

export interface StorageSuiteOptions {
  /**
   * How often each check that kills a process does so, 1..1000.
   * @default 3
   */
  readonly killCount?: number;
  /**
   * Rows of the checks about many rows, 1000..1000000.
   * @default 3000
   */
  readonly rowCount?: number;
  /**
   * Longest time of one check, in milliseconds, 1000..86400000.
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

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveStorageSuiteOptions(input: StorageSuiteOptions): ResolvedStorageSuiteOptions {
  return resolveOptions<ResolvedStorageSuiteOptions>(input, STORAGE_SUITE_DEFAULTS, {
    killCount: integerOption(1, 1_000),
    rowCount: integerOption(1_000, 1_000_000),
    checkTimeoutMs: integerOption(1_000, 86_400_000),
  });
}
