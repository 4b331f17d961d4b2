import { type Caller, MemoryError, type MemoryTier, type NamespaceSelector } from "@membus/protocol";

export const ACTIONS = ["read", "write", "write_own", "forget", "forget_own"] as const;

/**
 * `read` is retrieve and list, `write` is store, which may replace what others have stored; `write_own` and `forget_own`
 * replace and forget only entries whose author the caller is.
 */
export type Action = (typeof ACTIONS)[number];

/** Allows something. What is left out is not asked for: every tenant, agent, tier, namespace. */
export interface AccessRule {
  readonly tenants?: readonly string[];
  /** Names as they are, not as tokens. */
  readonly agents?: readonly string[];
  readonly tiers?: readonly MemoryTier[];
  /** Paths, each with all below it. */
  readonly namespaces?: readonly string[];
  readonly allow: readonly Action[];
}

/** What of a tier is asked for. */
export interface Access {
  readonly caller: Pick<Caller, "tenant" | "agent">;
  readonly tier: MemoryTier;
  readonly selected: NamespaceSelector;
}

/** All of a tier that a caller reaches. */
export const EVERYWHERE: NamespaceSelector = { namespace: "", subtree: true };

/** Who may do what, in one tenant as well. Without rules everybody may do everything; with some, what one of them allows. */
export class AccessRules {
  readonly #rules: readonly AccessRule[];

  constructor(rules: readonly AccessRule[]) {
    this.#rules = rules;
  }

  /** A subtree is allowed where one rule allows all of it. */
  allows(access: Access, action: Action): boolean {
    if (this.#rules.length === 0) return true;
    return this.#rules.some((rule) => rule.allow.includes(action) && concerns(rule, access));
  }

  /** @throws {MemoryError} `unauthorized`. */
  require(access: Access, action: Action): void {
    if (!this.allows(access, action)) throw notAllowed(access.tier);
  }
}

export function notAllowed(tier: MemoryTier): MemoryError {
  return new MemoryError("unauthorized", `this is not allowed in this namespace of the ${tier} tier`, {
    path: "namespace",
    tier,
  });
}

function concerns(
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
