import type { AgentMemory, ListRequest, ListResult, RetrieveRequest } from "@membus/agent-client";
import { type DegradedTier, isMemoryError, type MemoryEntry } from "@membus/protocol";

/** Number of top-level namespaces that are searched. */
const NAMESPACES_MAX = 32;
/** Namespaces of records (clause REC-8), and the one of entries without a namespace. */
export const CONVENTIONS = ["about", "graph", "conversations", "blocks", "targets", "files", "default"];

export interface FoundEntries {
  readonly entries: readonly MemoryEntry[];
  /** True if there are more entries. */
  readonly truncated: boolean;
  /** Tiers that did not answer. */
  readonly degraded: readonly DegradedTier[];
}

export type AnywhereCriteria = Pick<
  RetrieveRequest,
  "keys" | "where" | "tier" | "tags" | "tags_mode" | "since" | "until"
>;

/**
 * Finds entries in all namespaces, the latest change first. A retrieve covers only one subtree, so that a list finds
 * the namespaces first.
 */
export async function findAnywhere(
  memory: AgentMemory,
  criteria: AnywhereCriteria,
  limit: number,
): Promise<FoundEntries> {
  const places = await placesOf(memory, criteria);
  const pages = await Promise.all(
    places.segments.map((segment) =>
      orTooMany(memory.retrieve({ ...criteria, namespace: `${segment}/**`, order: "newest", limit })),
    ),
  );
  const whole = pages.filter((page) => page !== undefined);
  const entries = whole.flatMap((page) => page.entries);
  entries.sort((a, b) => b.timestamps.updated - a.timestamps.updated);
  const isCut = pages.some((page) => page === undefined || page.cursor !== undefined);
  return {
    entries: entries.slice(0, limit),
    truncated: isCut || places.truncated || entries.length > limit,
    degraded: distinct([places, ...whole].flatMap(({ degraded }) => degraded ?? [])),
  };
}

/**
 * Returns the top-level namespaces that have such entries, or the conventional namespaces if there are too
 * many.
 */
export async function placesOf(
  memory: AgentMemory,
  criteria: AnywhereCriteria,
): Promise<Omit<FoundEntries, "entries"> & { readonly segments: readonly string[] }> {
  const request = { ...criteria, namespace: "**", depth: 1, limit: NAMESPACES_MAX };
  const list = await orTooMany(memory.list(request));
  if (list === undefined) return { segments: CONVENTIONS, truncated: true, degraded: [] };
  const segments = list.items.map(({ value }) => String(value));
  return { segments, truncated: list.cursor !== undefined, degraded: list.degraded ?? [] };
}

export interface NamespaceList extends Pick<ListResult, "items"> {
  /** True if there are more namespaces. */
  readonly truncated: boolean;
  /** Tiers that did not answer. */
  readonly degraded: readonly DegradedTier[];
}

/** Lists all namespaces, or the namespaces of `subtrees` if there are too many for one read. */
export async function namespacesAnywhere(
  memory: AgentMemory,
  request: Pick<ListRequest, "tier" | "limit" | "where" | "order">,
  subtrees: readonly string[],
): Promise<NamespaceList> {
  const whole = await orTooMany(memory.list({ ...request, namespace: "**" }));
  if (whole !== undefined) {
    const { items, cursor, degraded = [] } = whole;
    return { items, truncated: cursor !== undefined, degraded };
  }
  const parts = await Promise.all(
    subtrees.map((subtree) => orTooMany(memory.list({ ...request, namespace: `${subtree}/**` }))),
  );
  const found = parts.filter((part) => part !== undefined);
  return {
    items: found.flatMap(({ items }) => items),
    truncated: true,
    degraded: distinct(found.flatMap(({ degraded }) => degraded ?? [])),
  };
}

/** Returns undefined if the read would cover too many namespaces. */
export async function orTooMany<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isMemoryError(error) && error.code === "too_large") return undefined;
    throw error;
  }
}

/** Returns the first of each tier. */
export function distinct(degraded: readonly DegradedTier[]): DegradedTier[] {
  const first = new Map<string, DegradedTier>();
  for (const failure of degraded) if (!first.has(failure.tier)) first.set(failure.tier, failure);
  return [...first.values()];
}
