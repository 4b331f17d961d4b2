import type { Clock } from "@membus/protocol";
import type { NatsServerRelease } from "./release.js";

/** Install methods, in the order in which they are tried. */
export const INSTALL_METHODS = ["release", "go", "debian"] as const;
export type InstallMethod = (typeof INSTALL_METHODS)[number];

export interface InstallTimeouts {
  /**
   * Maximum time until the download site starts its response. Milliseconds, 1..600000.
   * @default 5000
   */
  readonly connectTimeoutMs: number;
  /**
   * Maximum time for the whole download. Milliseconds, 1..600000.
   * @default 60000
   */
  readonly downloadTimeoutMs: number;
  /**
   * Maximum time for `go install`, which compiles. Milliseconds, 1..3600000.
   * @default 300000
   */
  readonly goTimeoutMs: number;
  /**
   * Maximum time for each command of Debian. Milliseconds, 1..600000.
   * @default 120000
   */
  readonly debianTimeoutMs: number;
}

/** Input of an install method. All files except its result are removed with `workDir`. */
export interface InstallContext {
  /** Empty directory for this method only. */
  readonly workDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onStep: (message: string) => void;
  readonly release: NatsServerRelease;
  readonly timeouts: InstallTimeouts;
  readonly clock: Clock;
}
