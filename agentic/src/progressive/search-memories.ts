import { type Filter, keyHash, LIMITS, type MemoryEntry } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import {
  currentMemories,
  IDENTITY_LABEL,
  type ProgressiveItem,
  readMemory,
  type TaskType,
  TOOL_TARGET,
} from "./memory-record.js";
import type { MemorySpace } from "./memory-space.js";

export interface MemorySearch {
  /** A text longer than the query limit is cut. */
  readonly query: string;
  /** Identity is not ranked, so it is returned only if it is the only type. */
  readonly types: readonly TaskType[];
  /** Targets to search. Absent: all. Guidelines for tools are always searched. */
  readonly targets?: readonly string[] | undefined;
  readonly limit: number;
  /** Whether to add summaries of conversations if there are fewer than `limit` results. */
  readonly withSummaries: boolean;
}

/** Maximum number of namespaces that are searched concurrently. */
const PARALLEL_MAX = 8;

/** Returns the stored entries that match a search, best first, then summaries. */
export async function searchMemories(space: MemorySpace, search: MemorySearch): Promise<MemoryEntry[]> {
  const types = search.types.filter((type) => type !== "identity");
  if (types.length === 0) return space.find(space.blocks, [keyHash({ block: IDENTITY_LABEL })]);
  const found = await searchTargets(space, { ...search, types });
  if (!search.withSummaries || found.length >= search.limit) return found;
  const summaries = await space.search(space.conversations, {
    query: queryOf(search),
    where: summariesForTargets(search.targets),
    limit: search.limit - found.length,
  });
  return [...found, ...summaries];
}

async function searchTargets(space: MemorySpace, search: MemorySearch): Promise<MemoryEntry[]> {
  const where = currentMemories(search.types, space.meter.clock.now());
  const request = { query: queryOf(search), where, limit: search.limit };
  const namespaces = namespacesOf(space, search);
  const found: MemoryEntry[] = [];
  for (let from = 0; from < namespaces.length; from += PARALLEL_MAX) {
    const some = namespaces.slice(from, from + PARALLEL_MAX);
    const pages = await Promise.all(some.map((namespace) => space.search(namespace, request)));
    found.push(...pages.flat());
  }
  return found.sort((a, b) => b.score - a.score).slice(0, search.limit);
}

function namespacesOf(space: MemorySpace, { types, targets }: MemorySearch): string[] {
  const tools = types.includes("tool") ? [space.targetNamespace(TOOL_TARGET)] : [];
  if (types.every((type) => type === "tool")) return tools;
  if (targets === undefined) return [space.allTargetNamespaces];
  return [...new Set([...targets.map((target) => space.targetNamespace(target)), ...tools])];
}

/** Selects summaries with one of `targets`, or without a specific target. */
function summariesForTargets(targets: readonly string[] | undefined): Filter {
  const isSummary = kindIs("summary");
  return targets === undefined ? isSummary : { all: [isSummary, matchesTargets(targets)] };
}

/** Selects conversations with one of `targets`, or without a specific target. */
export function matchesTargets(targets: readonly string[]): Filter {
  return {
    any: [
      { field: "metadata.targets", op: "exists", value: false },
      { field: "metadata.targets", op: "in", value: [...targets] },
    ],
  };
}

function queryOf({ query }: MemorySearch): string {
  return query.slice(0, LIMITS.queryLength).toWellFormed();
}

/** Returns the entries that are memories. */
export function memoriesIn(entries: readonly MemoryEntry[]): ProgressiveItem[] {
  return entries.flatMap((entry) => readMemory(entry) ?? []);
}
