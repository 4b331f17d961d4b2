import type { MemoryTier } from "@membus/protocol";
import type { HostUnderTest } from "../host-route/host-under-test.js";
import type { PluginUnderTest } from "../plugin-route/plugin-under-test.js";

/** A host that was started for a plugin. */
export interface HostOfPlugin {
  readonly implementation: HostUnderTest;
  /** Stops the host and everything that was started with it. */
  stop(): Promise<void>;
}

/**
 * Starts a host with a separate server for a plugin. A program that contains a host provides this, because
 * the suite has none.
 */
export interface HostLauncher {
  launch(implementation: PluginUnderTest & { readonly tier: MemoryTier }): Promise<HostOfPlugin>;
}

/** Extensions of the command line by a program that embeds it. */
export interface CommandLineOptions {
  /** Name of the program, which may have several words. Default `membus-conformance`. */
  readonly name?: string;
  readonly throughHost?: HostLauncher;
}
