import {
  choiceOption,
  integerOption,
  type MemoryTier,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { namespaceOption } from "../option-rules.js";

export interface FilesOptions {
  /**
   * Where the files are, 1..8 segments; folders are namespaces below it, so that together they have at most 8.
   * @default "files"
   */
  readonly namespace?: string | undefined;
  /**
   * "semantic" for files that all agents of the tenant share, "working" for those of a session.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * How often an edit is attempted that other writers forestall, 1..1000.
   * @default 20
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Bytes of texts that one `grep` reads, 1..1073741824; what is left is not searched, and the result says so.
   * @default 67108864
   */
  readonly grepBytesMax?: number | undefined;
  /**
   * Milliseconds that one `grep` takes, 1..600000, give or take one line; then as after `grepBytesMax`.
   * @default 5000
   */
  readonly grepTimeMsMax?: number | undefined;
}

export type ResolvedFilesOptions = ResolvedOptions<FilesOptions>;

export const FILES_DEFAULTS = Object.freeze({
  namespace: "files",
  tier: "episodic",
  attemptsMax: 20,
  grepBytesMax: 64 * 1024 * 1024,
  grepTimeMsMax: 5_000,
} as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveFilesOptions(input: FilesOptions): ResolvedFilesOptions {
  return resolveOptions<ResolvedFilesOptions>(input, FILES_DEFAULTS, {
    namespace: namespaceOption,
    tier: choiceOption(...TIERS),
    attemptsMax: integerOption(1, 1_000),
    grepBytesMax: integerOption(1, 1024 ** 3),
    grepTimeMsMax: integerOption(1, 600_000),
  });
}
