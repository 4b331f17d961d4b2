import { type NamespaceSelector, selectsNamespace } from "./namespace.js";
import type { MemoryTier } from "./tier.js";

/** Whose memory: the tenant, agent and session of a request. */
export interface Caller {
  readonly tenant: string;
  readonly agent: string;
  readonly session: string;
}

/** One partition. Nothing is shared between two (clause SCOPE-1). */
export interface Scope {
  readonly tier: MemoryTier;
  readonly tenant: string;
  /** Absent in the semantic tier, which all agents of a tenant share. */
  readonly agent?: string;
  /** Present in the working tier alone. */
  readonly session?: string;
  readonly namespace: string;
}

/** The partitions of one caller and tier that a read or forget touches. */
export interface ScopeSelector extends Omit<Scope, "namespace">, NamespaceSelector {}

// Fields after a spread cost more than the rest of a request's scope: each tier's object is written out.
export function scopeOf(tier: MemoryTier, { tenant, agent, session }: Caller, namespace: string): Scope {
  if (tier === "semantic") return { tier, tenant, namespace };
  return tier === "episodic"
    ? { tier, tenant, agent, namespace }
    : { tier, tenant, agent, session, namespace };
}

export function selectorOf(tier: MemoryTier, caller: Caller, selected: NamespaceSelector): ScopeSelector {
  return { ...scopeOf(tier, caller, selected.namespace), subtree: selected.subtree };
}

export function selectsScope(selector: ScopeSelector, scope: Scope): boolean {
  return (
    scope.tier === selector.tier &&
    scope.tenant === selector.tenant &&
    scope.agent === selector.agent &&
    scope.session === selector.session &&
    selectsNamespace(selector, scope.namespace)
  );
}

/** One string per scope and one scope per string: what storage and logs file it under. */
export function scopeId(scope: Scope): string {
  return JSON.stringify([
    scope.tier,
    scope.tenant,
    scope.agent ?? null,
    scope.session ?? null,
    scope.namespace,
  ]);
}

export function parseScopeId(id: string): Scope {
  const [tier, tenant, agent, session, namespace] = JSON.parse(id) as [
    MemoryTier,
    string,
    string | null,
    string | null,
    string,
  ];
  return {
    tier,
    tenant,
    namespace,
    ...(agent === null ? {} : { agent }),
    ...(session === null ? {} : { session }),
  };
}
