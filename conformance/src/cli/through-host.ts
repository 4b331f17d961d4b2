import type { MemoryTier } from "@membus/protocol";
import type { HostUnderTest } from "../host-route/host-under-test.js";
import type { PluginUnderTest } from "../plugin-route/plugin-under-test.js";

/** A host that was started for a plugin. */
export interface HostOfPlugin {
  readonly implementation: HostUnderTest;
  /** Ends everything that was started. */
  stop(): Promise<void>;
}

/** Puts a plugin behind a host, with a server of its own. The suite knows no host: a program that does provides this. */
export interface HostLauncher {
  launch(implementation: PluginUnderTest & { readonly tier: MemoryTier }): Promise<HostOfPlugin>;
}

/** What a program that contains the suite's command line adds to it. */
export interface CommandLineOptions {
  /** How the program is called, words that come before the command. Default `membus-conformance`. */
  readonly name?: string;
  readonly throughHost?: HostLauncher;
}
