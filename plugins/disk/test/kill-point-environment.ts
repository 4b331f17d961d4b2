const KILL_POINT = new URL("kill-point.ts", import.meta.url).href;
const TYPESCRIPT_LOADER = new URL("../../../node_modules/tsx/dist/loader.mjs", import.meta.url).href;

/** A file change at which a process kills itself. */
export interface KillPoint {
  /** Output line after which file changes are counted. By default they are counted from the start. */
  readonly after?: string;
  /** The process kills itself before this file change, counted from 1. Half-written data counts as a change. */
  readonly fileChange: number;
  /** If given, only renames to paths with this ending are counted, and only if they replace this text. */
  readonly renamed?: { readonly to: string; readonly replacing: string };
}

/** Value of `after` for a process that counts from a SIGUSR2 on. The process confirms it with `ARMED`. */
export const AFTER_SIGNAL = "SIGUSR2";
/** Line on standard error. */
export const ARMED = "kill point armed";

/** Returns environment variables that make a Node process kill itself at `point`. */
export function killPointEnvironment({ after = "", fileChange, renamed }: KillPoint) {
  return {
    NODE_OPTIONS: `--import=${TYPESCRIPT_LOADER} --import=${KILL_POINT}`,
    KILL_AFTER: after,
    KILL_FILE_CHANGE: String(fileChange),
    KILL_RENAMED_TO: renamed?.to ?? "",
    KILL_REPLACING: renamed?.replacing ?? "",
  };
}
