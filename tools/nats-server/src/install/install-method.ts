import type { Clock } from "@membus/protocol";
import type { NatsServerRelease } from "./release.js";

/** In the order in which they are tried. */
export const INSTALL_METHODS = ["release", "go", "debian"] as const;
export type InstallMethod = (typeof INSTALL_METHODS)[number];

export interface InstallTimeouts {
  /**
   * Longest wait for the download site to begin its answer. Milliseconds, 1..600000.
   * @default 5000
   */
  readonly connectTimeoutMs: number;
  /**
   * Longest time for the whole download. Milliseconds, 1..600000.
   * @default 60000
   */
  readonly downloadTimeoutMs: number;
  /**
   * Longest time for `go install`, which compiles. Milliseconds, 1..3600000.
   * @default 300000
   */
  readonly goTimeoutMs: number;
  /**
   * Longest time for each of Debian's tools. Milliseconds, 1..600000.
   * @default 120000
   */
  readonly debianTimeoutMs: number;
}

/** What an install method works with. It leaves everything but its result to be removed with `workDir`. */
export interface InstallContext {
  /** An empty folder of its own. */
  readonly workDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onStep: (message: string) => void;
  readonly release: NatsServerRelease;
  readonly timeouts: InstallTimeouts;
  readonly clock: Clock;
}
