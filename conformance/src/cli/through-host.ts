import type { MemoryTier } from "@membus/protocol";
import type { HostSubject } from "../host-route/host-subject.js";
import type { PluginSubject } from "../plugin-route/plugin-subject.js";

/** A host that was started for a plugin. */
export interface HostOfPlugin {
  readonly subject: HostSubject;
  /** Ends everything that was started. */
  stop(): Promise<void>;
}

/** Puts a plugin behind a host, with a server of its own. The suite knows no host: a program that does provides this. */
export interface HostLauncher {
  launch(subject: PluginSubject & { readonly tier: MemoryTier }): Promise<HostOfPlugin>;
}

/** What a program that contains the suite's command line adds to it. */
export interface CommandLineOptions {
  /** How the program is called, words that come before the command. Default `membus-conformance`. */
  readonly name?: string;
  readonly throughHost?: HostLauncher;
}
