import { type Filter, keyHash, LIMITS, type MemoryEntry } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import {
  currentMemories,
  IDENTITY_LABEL,
  type Memory,
  readMemory,
  type TaskType,
  TOOL_TARGET,
} from "./memory-record.js";
import type { MemorySpace } from "./memory-space.js";

export interface MemorySearch {
  /** What is longer than a query may be is cut. */
  readonly query: string;
  /** Identity, which is no matter of ranking, is only given where nothing else is asked for. */
  readonly types: readonly TaskType[];
  /** The targets to look at; absent: all. Guidelines for tools are found whatever it says. */
  readonly targets?: readonly string[] | undefined;
  readonly limit: number;
  /** Fill up with summaries of conversations where there are fewer than `limit`. */
  readonly withSummaries: boolean;
}

/** Namespaces that are asked at once. */
const PARALLEL_MAX = 8;

/** Stored entries that answer a search, the best first, and summaries behind them. */
export async function searchMemories(space: MemorySpace, search: MemorySearch): Promise<MemoryEntry[]> {
  const types = search.types.filter((type) => type !== "identity");
  if (types.length === 0) return space.find(space.blocks, [keyHash({ block: IDENTITY_LABEL })]);
  const found = await searchTargets(space, { ...search, types });
  if (!search.withSummaries || found.length >= search.limit) return found;
  const summaries = await space.search(space.conversations, {
    query: queryOf(search),
    where: summariesAbout(search.targets),
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
  const tools = types.includes("tool") ? [space.about(TOOL_TARGET)] : [];
  if (types.every((type) => type === "tool")) return tools;
  if (targets === undefined) return [space.aboutAll];
  return [...new Set([...targets.map((target) => space.about(target)), ...tools])];
}

/** Summaries of what was said about one of `targets`, or about nobody by name. */
function summariesAbout(targets: readonly string[] | undefined): Filter {
  const isSummary = kindIs("summary");
  return targets === undefined ? isSummary : { all: [isSummary, aboutOneOf(targets)] };
}

/** Holds for conversations about one of `targets`, or about nobody by name. */
export function aboutOneOf(targets: readonly string[]): Filter {
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

/** The entries that are memories. */
export function memoriesIn(entries: readonly MemoryEntry[]): Memory[] {
  return entries.flatMap((entry) => readMemory(entry) ?? []);
}
