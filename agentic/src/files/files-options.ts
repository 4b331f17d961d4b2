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
   * Namespace of the files, 1..8 segments.
   * @default "files"
   */
  readonly namespace?: string | undefined;
  /**
   * "folders": each folder is a namespace below `namespace`, at most 8 segments in all. "flat": all files are in `namespace`, in
   * any number of folders. Files of one layout are not visible in the other, except those in no folder.
   * @default "folders"
   */
  readonly layout?: "folders" | "flat" | undefined;
  /**
   * "semantic" for files that all agents of the tenant share, "working" for files of a session.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Attempts of an edit while other writers change the file, 1..1000.
   * @default 20
   */
  readonly attemptsMax?: number | undefined;
  /**
   * Maximum bytes of a file, 1..134217728. Files larger than an entry (256 KiB) are stored in parts.
   * @default 16777216
   */
  readonly fileBytesMax?: number | undefined;
  /**
   * Bytes of text that one `grep` reads, 1..1073741824. The result says if files were left out.
   * @default 67108864
   */
  readonly grepBytesMax?: number | undefined;
  /**
   * Duration of one `grep` in milliseconds, 1..600000, rounded up to a line. The result says if files were left out.
   * @default 5000
   */
  readonly grepTimeMsMax?: number | undefined;
}

export type ResolvedFilesOptions = ResolvedOptions<FilesOptions>;

export const FILES_DEFAULTS = Object.freeze({
  namespace: "files",
  layout: "folders",
  tier: "episodic",
  attemptsMax: 20,
  fileBytesMax: 16 * 1024 * 1024,
  grepBytesMax: 64 * 1024 * 1024,
  grepTimeMsMax: 5_000,
} as const);

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveFilesOptions(input: FilesOptions): ResolvedFilesOptions {
  return resolveOptions<ResolvedFilesOptions>(input, FILES_DEFAULTS, {
    namespace: namespaceOption,
    layout: choiceOption("folders", "flat"),
    tier: choiceOption(...TIERS),
    attemptsMax: integerOption(1, 1_000),
    fileBytesMax: integerOption(1, 128 * 1024 * 1024),
    grepBytesMax: integerOption(1, 1024 ** 3),
    grepTimeMsMax: integerOption(1, 600_000),
  });
}
