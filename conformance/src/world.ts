import type { MemoryTier } from "@membus/protocol";
import type { Check, Provision, Route } from "./catalogue/check.js";
import type { Profile } from "./catalogue/profile.js";
import type { Features, HostContext, MemoryContext, PluginContext } from "./context.js";
import type { Expect } from "./expect.js";
import type { TracedStep } from "./run/traced-step.js";
import type { Trace } from "./trace.js";

export interface TierFacts {
  readonly tier: MemoryTier;
  /** Name and version of the plugin, where known. */
  readonly plugin: string;
  readonly features: Features;
}

/** What one check runs in. */
export interface OpenedWorld {
  readonly context: MemoryContext | PluginContext | HostContext;
  /** Undoes what the check did to what it shares with others, and closes what it opened. */
  close(): Promise<void>;
}

export interface WorldRequest {
  readonly check: Check;
  readonly tier: MemoryTier;
  readonly seed: number;
  readonly expect: Expect;
  readonly trace: Trace;
  /** Replies are passed on as they come, whether they have their form or not. */
  readonly anyForm?: boolean;
}

/** What is tested, made ready for one check after another. */
export interface World {
  readonly route: Route;
  readonly name: string;
  readonly tiers: readonly TierFacts[];
  /** What a host keeps in place of all other profiles, as it says itself (clause DISC-7): checks of others do not apply. */
  readonly profile?: Profile | undefined;
  readonly provisions: ReadonlySet<Provision>;
  /** Checks that may run at once. */
  readonly concurrency: number;
  /** Whether checks share what each of them changes for the others: a clock that they move, or their namespace. */
  readonly isShared?: boolean;
  /** How much longer than usual a check may take, for what is slow and keeps the protocol. Milliseconds; default 0. */
  readonly patienceMs?: number;
  open(request: WorldRequest): Promise<OpenedWorld>;
  /** A program that sends requests again, to this implementation. */
  replayScript(steps: readonly TracedStep[]): string;
  close(): Promise<void>;
}
