import {
  booleanOption,
  integerOption,
  type ResolvedOptions,
  resolveOptions,
  stringOption,
} from "@membus/protocol";
import type { FileCall } from "./file-store.js";

export interface GlobOptions extends FileCall {
  /**
   * Folder that the glob is relative to.
   * @default "/"
   */
  readonly folder?: string | undefined;
  /**
   * Maximum number of files, 1..100000.
   * @default 1000
   */
  readonly limit?: number | undefined;
}

export interface GrepOptions extends FileCall {
  /**
   * Folder to search, with all folders below it.
   * @default "/"
   */
  readonly folder?: string | undefined;
  /**
   * Glob of the files to search: of paths below the folder, or of names if it has no `/`.
   * @default "**"
   */
  readonly glob?: string | undefined;
  /** @default false */
  readonly ignoreCase?: boolean | undefined;
  /**
   * Maximum number of lines, 1..100000.
   * @default 1000
   */
  readonly limit?: number | undefined;
}

export const GLOB_DEFAULTS = Object.freeze({ folder: "/", limit: 1_000 });
export const GREP_DEFAULTS = Object.freeze({ folder: "/", glob: "**", ignoreCase: false, limit: 1_000 });

const GLOB_RULES = { folder: stringOption, limit: integerOption(1, 100_000) };
const GREP_RULES = { ...GLOB_RULES, glob: stringOption, ignoreCase: booleanOption };

type Resolved<Options extends FileCall> = ResolvedOptions<Omit<Options, "signal">> & FileCall;

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveGlobOptions({ signal, ...input }: GlobOptions): Resolved<GlobOptions> {
  const options = resolveOptions<ResolvedOptions<typeof input>>(input, GLOB_DEFAULTS, GLOB_RULES);
  return { ...options, signal };
}

/** @throws {TypeError} like `resolveGlobOptions`. */
export function resolveGrepOptions({ signal, ...input }: GrepOptions): Resolved<GrepOptions> {
  const options = resolveOptions<ResolvedOptions<typeof input>>(input, GREP_DEFAULTS, GREP_RULES);
  return { ...options, signal };
}
