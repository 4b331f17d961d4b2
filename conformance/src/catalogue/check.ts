import type { MemoryTier } from "@membus/protocol";
import type { Feature } from "@membus/protocol/plugin";
import type { HostContext, MemoryContext, PluginContext } from "../context.js";

/** Interface through which the suite reaches the implementation: a plugin's methods or a host's subjects. */
export type Route = "plugin" | "host";

/**
 * Additional requirements of some checks. A check without its provision is untestable. A check
 * without `move`, `stop` or `own_plugins` is not applicable, because some machines and hosts cannot provide them.
 *
 * - `second_tenant`: a second tenant that the host serves
 * - `restart`: a command that kills the host and starts it again
 * - `move`: a command that moves the tenants to other hosts of their cluster
 * - `kill`: the plugin's module, so that a child process that uses it can be killed
 * - `stop`: a platform where the child process can be stopped and inspected while it works
 * - `own_plugins`: a host that accepts plugins and an embedder from the suite
 */
export type Provision = "second_tenant" | "restart" | "move" | "kill" | "stop" | "own_plugins";

interface CheckFacts {
  /** `<area>/<requirement>`. Permanent: never renamed and never reused. */
  readonly id: string;
  /** Clause ids of `protocol/spec/clauses.yaml`. They also determine the level. */
  readonly clauses: readonly [string, ...string[]];
  /** Not applicable unless the tier's manifest declares all these features. */
  readonly features?: readonly Feature[];
  /**
   * Not applicable if the manifest declares this feature. The counterpart of checks that need the feature.
   */
  readonly withoutFeature?: Feature;
  /** Not applicable in other tiers. */
  readonly tiers?: readonly MemoryTier[];
  readonly provisions?: readonly Provision[];
  /** Not applicable unless the host keeps this profile instead of all others. */
  readonly profile?: string;
  /**
   * Makes the check not applicable, instead of untestable, without its provisions.
   *
   * Used for requirements that callers do not depend on, or that hosts without these provisions must also
   * keep.
   */
  readonly skippable?: boolean;
  /** Default: concurrently with other checks. */
  readonly turn?: Turn;
}

/**
 * Time when a check runs.
 * - `lasting`: mostly waits. Starts first and runs next to all others, or separately if checks affect each
 *   other.
 * - `alone`: inspects or occupies the whole implementation. Runs while no other check runs.
 * - `last`: may leave a host stopped if it fails. Runs after all others.
 */
export type Turn = "lasting" | "alone" | "last";

export interface CheckOf<Context> extends CheckFacts {
  run(t: Context): Promise<void>;
}

/** A check of any kind, in the form that the runner uses. */
export interface Check extends CheckFacts {
  readonly area: string;
  readonly routes: readonly Route[];
  /** Whether the check runs once for each tier or once for the host. */
  readonly per: "tier" | "host";
  run(t: MemoryContext | PluginContext | HostContext): Promise<void>;
}

/** Defines a check of memory operations. It runs on plugins and hosts, for each tier. */
export function memoryCheck(check: CheckOf<MemoryContext>): Check {
  return asCheck(check, ["plugin", "host"], "tier");
}

/** Defines a check of the contract between a host and its plugins. */
export function pluginCheck(check: CheckOf<PluginContext>): Check {
  return asCheck(check, ["plugin"], "tier");
}

/** Defines a check of a whole host: messages, subjects, events, discovery. */
export function hostCheck(check: CheckOf<HostContext>): Check {
  return asCheck(check, ["host"], "host");
}

/** Defines a check of a host that runs for each tier. */
export function hostTierCheck(check: CheckOf<HostContext>): Check {
  return asCheck(check, ["host"], "tier");
}

// The runner calls a check only with the context of its routes.
function asCheck<Context>(check: CheckOf<Context>, routes: readonly Route[], per: Check["per"]): Check {
  const area = check.id.slice(0, check.id.indexOf("/"));
  return Object.freeze({ ...check, area, routes, per, run: check.run as Check["run"] });
}
