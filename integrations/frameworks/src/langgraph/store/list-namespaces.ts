import type { ListNamespacesOperation, MatchCondition } from "@langchain/langgraph-checkpoint";
import type { AgentMemory } from "@membus/agent-client";
import { type Filter, LIMITS, type MemoryTier } from "@membus/protocol";
import { namespaceOf, PATH_FIELD, pathOf } from "./item-entry.js";

const ANY_LABEL = "*";

/** The order of LangGraph's own stores, the same on every machine. */
const ORDER = new Intl.Collator("en");

/** Returns unique namespaces with items, cut to a depth, in the order of their labels. */
export async function listNamespaces(
  memory: AgentMemory,
  tier: MemoryTier,
  { matchConditions = [], maxDepth, limit, offset = 0 }: ListNamespacesOperation,
): Promise<string[][]> {
  const request = {
    tier,
    field: PATH_FIELD,
    where: { all: matchConditions.map(beginning).concat(HAS_PATH) },
  };
  const found = new Map<string, string[]>();
  for await (const { value } of memory.items(request, { pageSize: LIMITS.listLimit })) {
    const namespace = namespaceOf(String(value));
    if (!matchConditions.every((condition) => matches(condition, namespace))) continue;
    const kept = namespace.slice(0, maxDepth);
    found.set(kept.join(":"), kept);
  }
  const sorted = [...found].sort(([a], [b]) => ORDER.compare(a, b)).map(([, namespace]) => namespace);
  return sorted.slice(offset, offset + (limit ?? sorted.length));
}

const HAS_PATH: Filter = { field: PATH_FIELD, op: "exists", value: true };

/** Returns the part of a condition that the host can evaluate: the beginning of the namespace. */
function beginning({ matchType, path }: MatchCondition): Filter {
  const wild = path.indexOf(ANY_LABEL);
  const labels = matchType === "prefix" ? path.slice(0, wild === -1 ? undefined : wild) : [];
  return labels.length === 0 ? HAS_PATH : { field: PATH_FIELD, op: "starts_with", value: pathOf(labels) };
}

function matches({ matchType, path }: MatchCondition, namespace: readonly string[]): boolean {
  const from = matchType === "prefix" ? 0 : namespace.length - path.length;
  if (path.length > namespace.length) return false;
  return path.every((label, index) => label === ANY_LABEL || label === namespace[from + index]);
}
