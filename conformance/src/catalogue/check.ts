import type { Feature, MemoryTier } from "@membus/protocol";
import type { HostContext, MemoryContext, PluginContext } from "../context.js";

/** How the suite reaches what it tests: a plugin's methods, or a host's subjects. */
export type Route = "plugin" | "host";

/**
 * What a run must be given for some checks, besides an implementation. Where it is missing, they are untestable, but for
 * the last two, which not every machine, and no host in another language, can give: there they are not applicable.
 * - `second_tenant`: a tenant that the host serves beside the first
 * - `restart`: a command that kills the host and starts it again
 * - `kill`: the plugin's module, so that a child process that uses it can be killed
 * - `stop`: that the child process can be stopped and looked at while it works
 * - `own_plugins`: a host that takes plugins and an embedder of the suite's own
 */
export type Provision = "second_tenant" | "restart" | "kill" | "stop" | "own_plugins";

interface CheckFacts {
  /** `<area>/<what holds>`. Permanent: never renamed, never used again. */
  readonly id: string;
  /** Ids of `protocol/spec/clauses.yaml`; they also decide the level. */
  readonly clauses: readonly [string, ...string[]];
  /** Not applicable unless the tier's manifest declares all of these. */
  readonly features?: readonly Feature[];
  /** Not applicable where the manifest declares this: the twin of the checks that need it. */
  readonly withoutFeature?: Feature;
  /** Not applicable in other tiers. */
  readonly tiers?: readonly MemoryTier[];
  readonly provisions?: readonly Provision[];
  /** Not applicable unless the host keeps this profile in place of all others. */
  readonly profile?: string;
  /**
   * Without its provisions it is not applicable: what it is about is no promise to anybody who uses the implementation, or
   * is promised by those too that need no such provision for anything else.
   */
  readonly spared?: boolean;
  /** Default: beside others. */
  readonly turn?: Turn;
}

/**
 * When a check runs.
 * - `lasting`: it mostly waits: beside all others from the start, or alone where checks are not apart
 * - `alone`: it sees the whole implementation, or takes all it has: while nothing else runs
 * - `last`: it may leave a host stopped behind where something is wrong: when all others have run
 */
export type Turn = "lasting" | "alone" | "last";

export interface CheckOf<Context> extends CheckFacts {
  run(t: Context): Promise<void>;
}

/** A check of any kind, as the runner sees it. */
export interface Check extends CheckFacts {
  readonly area: string;
  readonly routes: readonly Route[];
  /** Whether it is about one tier, and so runs for each, or about a host as a whole. */
  readonly per: "tier" | "host";
  run(t: MemoryContext | PluginContext | HostContext): Promise<void>;
}

/** A check of how memory behaves: the same for a plugin and for a host, tier by tier. */
export function memoryCheck(check: CheckOf<MemoryContext>): Check {
  return asCheck(check, ["plugin", "host"], "tier");
}

/** A check of the contract between a host and its plugins. */
export function pluginCheck(check: CheckOf<PluginContext>): Check {
  return asCheck(check, ["plugin"], "tier");
}

/** A check of a host as a whole: messages, subjects, events, discovery. */
export function hostCheck(check: CheckOf<HostContext>): Check {
  return asCheck(check, ["host"], "host");
}

/** A check of a host that depends on the tier it speaks to. */
export function hostTierCheck(check: CheckOf<HostContext>): Check {
  return asCheck(check, ["host"], "tier");
}

// A check is run with the context of its own routes alone, which the runner sees to.
function asCheck<Context>(check: CheckOf<Context>, routes: readonly Route[], per: Check["per"]): Check {
  const area = check.id.slice(0, check.id.indexOf("/"));
  return Object.freeze({ ...check, area, routes, per, run: check.run as Check["run"] });
}
