import type { MemoryTier } from "@membus/protocol";
import type { FurtherSuite } from "@membus/protocol/plugin";
import type { Check, Provision, Route } from "./catalogue/check.js";
import type { Profile } from "./catalogue/profile.js";
import type { Features, HostContext, MemoryContext, PluginContext } from "./context.js";
import type { Expect } from "./expect.js";
import type { TracedStep } from "./run/traced-step.js";
import type { Trace } from "./trace.js";

export interface TierFacts {
  readonly tier: MemoryTier;
  /** Name and version of the plugin, if known. */
  readonly plugin: string;
  readonly features: Features;
}

/** Environment of one check. */
export interface OpenedWorld {
  readonly context: MemoryContext | PluginContext | HostContext;
  /** Undoes the changes that other checks would see, and closes everything that the check opened. */
  close(): Promise<void>;
}

export interface WorldRequest {
  readonly check: Check;
  readonly tier: MemoryTier;
  readonly seed: number;
  readonly expect: Expect;
  readonly trace: Trace;
  /** Passes replies on even if they are malformed. */
  readonly anyForm?: boolean;
}

/** The implementation under test, prepared for a series of checks. */
export interface World {
  readonly route: Route;
  readonly name: string;
  readonly tiers: readonly TierFacts[];
  /**
   * Profile that a host keeps instead of all others, if it declares one (clause DISC-7). Checks of other
   * profiles do not apply.
   */
  readonly profile?: Profile | undefined;
  readonly provisions: ReadonlySet<Provision>;
  /** Suites that test parts of the plugin. This suite only tests the whole. */
  readonly furtherSuites?: readonly FurtherSuite[] | undefined;
  /** Number of checks that may run at once. */
  readonly concurrency: number;
  /** Whether checks affect each other: they move a common clock or use one namespace. */
  readonly isShared?: boolean | undefined;
  /** Additional time for a check or one of its calls on a slow but correct host, in milliseconds. Default 0. */
  readonly patienceMs?: number | undefined;
  open(request: WorldRequest): Promise<OpenedWorld>;
  /** Returns a program that sends the requests to this implementation again. */
  replayScript(steps: readonly TracedStep[]): string;
  close(): Promise<void>;
}
