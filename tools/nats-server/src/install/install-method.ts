import { type Clock, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import type { NatsServerRelease } from "./release.js";

/** Install methods, in the order in which they are tried. */
export const INSTALL_METHODS = ["release", "go", "debian"] as const;
export type InstallMethod = (typeof INSTALL_METHODS)[number];

/** Timeouts in milliseconds. */
export const InstallTimeoutsSchema = optionSet({
  /** Maximum time until the download site starts its response. */
  connectTimeoutMs: option.integer(1, 600_000).default(5_000),
  /** Maximum time for the whole download. */
  downloadTimeoutMs: option.integer(1, 600_000).default(60_000),
  /** Maximum time for `go install`, which compiles. */
  goTimeoutMs: option.integer(1, 3_600_000).default(300_000),
  /** Maximum time for each command of Debian. */
  debianTimeoutMs: option.integer(1, 600_000).default(120_000),
});

export interface InstallTimeouts extends OptionsOf<typeof InstallTimeoutsSchema> {}
export interface ResolvedInstallTimeouts extends ResolvedOptionsOf<typeof InstallTimeoutsSchema> {}

/** Input of an install method. All files except its result are removed with `workDir`. */
export interface InstallContext {
  /** Empty directory for this method only. */
  readonly workDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onStep: (message: string) => void;
  readonly release: NatsServerRelease;
  readonly timeouts: ResolvedInstallTimeouts;
  readonly clock: Clock;
}
