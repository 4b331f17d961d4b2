import { z } from "zod";
import { LIMITS } from "./limits.js";

/** Tiers, in the order in which equal scores are listed and `recall` prefers results. */
export const TIERS = ["working", "episodic", "semantic"] as const;

export const MemoryTierSchema = z
  .enum(TIERS)
  .meta({ id: "MemoryTier", description: "working: this session; episodic: this agent; semantic: shared" });

export type MemoryTier = z.infer<typeof MemoryTierSchema>;

const SEGMENT = `[^/*\\u0000-\\u001f\\u007f]{1,${LIMITS.namespaceSegmentLength}}`;
const PATH = `${SEGMENT}(/${SEGMENT}){0,${LIMITS.namespaceSegments - 1}}`;

/** Path of 1..8 segments of 1..64 characters without `/`, `*` and control characters (clause NS-1). */
export const NAMESPACE = new RegExp(`^${PATH}$`);
/** Namespace, optionally followed by `/**` (clause NS-2). */
export const NAMESPACE_SELECTOR = new RegExp(`^${PATH}(/\\*\\*)?$`);

/** Namespace of a list request: like `NAMESPACE_SELECTOR`, or `**` for all namespaces (clause LIST-7). */
export const LIST_NAMESPACE = new RegExp(`^(\\*\\*|${PATH}(/\\*\\*)?)$`);

/**
 * Namespace to read or forget: exactly one, or its whole subtree. The subtree of "" is all namespaces of the
 * caller.
 */
export interface NamespaceSelector {
  readonly namespace: string;
  readonly subtree: boolean;
}

/** Returns true for a namespace that a write may use (clause NS-1). */
export function isNamespace(path: string): boolean {
  return NAMESPACE.test(path);
}

/** Returns true for a namespace or subtree that a read or forget may use (clause NS-2). */
export function isNamespacePattern(path: string): boolean {
  return NAMESPACE_SELECTOR.test(path);
}

export function parseNamespacePattern(path: string): NamespaceSelector {
  if (path === "**") return { namespace: "", subtree: true };
  const subtree = path.endsWith("/**");
  return { namespace: subtree ? path.slice(0, -3) : path, subtree };
}

/**
 * Returns whether the selector includes `namespace`. `a/**` includes `a` and `a/b` but not `ab`. `**`
 * includes all.
 */
export function selectsNamespace(selector: NamespaceSelector, namespace: string): boolean {
  if (namespace === selector.namespace) return true;
  if (selector.namespace === "") return selector.subtree;
  return selector.subtree && namespace.startsWith(`${selector.namespace}/`);
}

/** Tenant, agent and session of a request. */
export interface Caller {
  readonly tenant: string;
  readonly agent: string;
  readonly session: string;
}

/** One partition. Partitions share no data (clause SCOPE-1). */
export interface Scope {
  readonly tier: MemoryTier;
  readonly tenant: string;
  /** Absent in the semantic tier, which all agents of a tenant share. */
  readonly agent?: string;
  /** Present only in the working tier. */
  readonly session?: string;
  readonly namespace: string;
}

/** Partitions of one caller and tier that a read or forget touches. */
export interface ScopeSelector extends Omit<Scope, "namespace">, NamespaceSelector {}

// Object literals without spread, because a spread is slower than the rest of the function.
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
  return haveSameCaller(selector, scope) && selectsNamespace(selector, scope.namespace);
}

/** Returns whether the same caller can access both scopes in one tier, in any namespace (clause CASC-3). */
export function haveSameCaller(a: Omit<Scope, "namespace">, b: Omit<Scope, "namespace">): boolean {
  return a.tier === b.tier && a.tenant === b.tenant && a.agent === b.agent && a.session === b.session;
}

/** Returns a unique string for a scope, used as a key in storage and logs. */
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
