import { type Caller, MemoryError, type MemoryTier, type NamespaceSelector } from "@membus/protocol";
import type { AccessRule, Action } from "./access-rules-schema.js";

/** Part of a tier that a request addresses. */
export interface Access {
  readonly caller: Pick<Caller, "tenant" | "agent">;
  readonly tier: MemoryTier;
  readonly selected: NamespaceSelector;
}

/** Everything in a tier that the caller can reach. */
export const WHOLE_TIER: NamespaceSelector = { namespace: "", subtree: true };

/**
 * Access control within a tenant. Without rules every action is allowed. With rules an action needs a rule
 * that allows it.
 */
export class AccessRules {
  readonly #rules: readonly AccessRule[];

  constructor(rules: readonly AccessRule[]) {
    this.#rules = rules;
  }

  /** Returns whether the action is allowed. A subtree needs one rule that covers all of it. */
  allows(access: Access, action: Action): boolean {
    if (this.#rules.length === 0) return true;
    return this.#rules.some((rule) => rule.allow.includes(action) && matchesRule(rule, access));
  }

  /** @throws {MemoryError} `unauthorized`, if the action is not allowed. */
  require(access: Access, action: Action): void {
    if (!this.allows(access, action)) throw accessDenied(access.tier);
  }
}

export function accessDenied(tier: MemoryTier): MemoryError {
  return new MemoryError(
    "unauthorized",
    `access denied: the rules of this host do not allow this in this namespace of the ${tier} tier`,
    {
      path: "namespace",
      tier,
    },
  );
}

function matchesRule(
  { tenants, agents, tiers, namespaces }: AccessRule,
  { caller, tier, selected }: Access,
): boolean {
  return (
    (tenants?.includes(caller.tenant) ?? true) &&
    (agents?.includes(caller.agent) ?? true) &&
    (tiers?.includes(tier) ?? true) &&
    (namespaces?.some((path) => isWithin(path, selected.namespace)) ?? true)
  );
}

function isWithin(path: string, namespace: string): boolean {
  return namespace === path || namespace.startsWith(`${path}/`);
}
