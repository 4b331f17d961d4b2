import { z } from "zod";
import { LIMITS } from "./limits.js";

/** The three tiers, in the order in which equal scores are listed and in which `recall` asks them. */
export const TIERS = ["working", "episodic", "semantic"] as const;

export const MemoryTierSchema = z
  .enum(TIERS)
  .meta({ id: "MemoryTier", description: "working: this session; episodic: this agent; semantic: shared" });

export type MemoryTier = z.infer<typeof MemoryTierSchema>;

const SEGMENT = `[^/*\\u0000-\\u001f\\u007f]{1,${LIMITS.namespaceSegmentLength}}`;
const PATH = `${SEGMENT}(/${SEGMENT}){0,${LIMITS.namespaceSegments - 1}}`;

/** A path of 1..8 segments of 1..64 characters without `/`, `*` and controls (clause NS-1). */
export const NAMESPACE = new RegExp(`^${PATH}$`);
/** A namespace, or one followed by `/**` (clause NS-2). */
export const NAMESPACE_SELECTOR = new RegExp(`^${PATH}(/\\*\\*)?$`);

/** The same in a list, which may also be of all namespaces (clause LIST-7). */
export const LIST_NAMESPACE = new RegExp(`^(\\*\\*|${PATH}(/\\*\\*)?)$`);

/** A namespace to read or forget from: one exactly, or it and all below; all of the caller's below "". */
export interface NamespaceSelector {
  readonly namespace: string;
  readonly subtree: boolean;
}

/** True for what a write may name (clause NS-1). */
export function isNamespace(path: string): boolean {
  return NAMESPACE.test(path);
}

/** True for what a read or forget may name (clause NS-2). */
export function isNamespacePattern(path: string): boolean {
  return NAMESPACE_SELECTOR.test(path);
}

export function parseNamespacePattern(path: string): NamespaceSelector {
  if (path === "**") return { namespace: "", subtree: true };
  const subtree = path.endsWith("/**");
  return { namespace: subtree ? path.slice(0, -3) : path, subtree };
}

/** Whether `namespace` is the selected one or, in a subtree, below it: `a/**` holds `a/b` but not `ab`, `**` all. */
export function selectsNamespace(selector: NamespaceSelector, namespace: string): boolean {
  if (namespace === selector.namespace) return true;
  if (selector.namespace === "") return selector.subtree;
  return selector.subtree && namespace.startsWith(`${selector.namespace}/`);
}

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
  return isOfSameCaller(selector, scope) && selectsNamespace(selector, scope.namespace);
}

/** Whether one caller reaches both, in one tier, whatever their namespaces are (clause CASC-3). */
export function isOfSameCaller(a: Omit<Scope, "namespace">, b: Omit<Scope, "namespace">): boolean {
  return a.tier === b.tier && a.tenant === b.tenant && a.agent === b.agent && a.session === b.session;
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
