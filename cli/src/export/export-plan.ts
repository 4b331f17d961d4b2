import type { AgentMemory } from "@membus/agent-client";
import { type Criteria, isMemoryError, LIMITS, MemoryError, type MemoryTier, TIERS } from "@membus/protocol";
import type { ExportManifest } from "./export-format.js";

/** Entries to export, as the user selected them. */
export interface ExportSelection {
  readonly criteria: Criteria;
  /** A namespace, or a subtree `a/**`. Absent: all namespaces. */
  readonly namespace?: string | undefined;
}

/** One namespace of a tier. */
export interface ExportScope {
  readonly tier: MemoryTier;
  readonly namespace: string;
}

export interface ExportPlan extends Pick<ExportManifest, "tiers" | "omitted"> {
  /** In the order of the tiers, then of the namespaces by UTF-16 code units. */
  readonly scopes: readonly ExportScope[];
  /** Number of entries now. It may change before they are read. */
  readonly count: number;
}

/** Codes of a tier that other tiers are exported without. */
const OMITTED_CODES = ["unauthorized", "unsupported"];

/**
 * Lists the namespaces to export. A tier that the agent may not list is omitted, unless the criteria name it.
 * @throws {MemoryError} `too_large` for a tier with more than 256 selected namespaces.
 */
export async function planExport(client: AgentMemory, selection: ExportSelection): Promise<ExportPlan> {
  const { tiers: served } = await client.ping();
  const named = selection.criteria.tier ?? undefined;
  const tiers: ExportManifest["tiers"] = {};
  const omitted: ExportManifest["omitted"] = [];
  const scopes: ExportScope[] = [];
  let count = 0;
  for (const tier of named === undefined ? TIERS.filter((each) => served.includes(each)) : [named]) {
    try {
      const namespaces = await selectNamespaces(client, tier, selection);
      scopes.push(...namespaces.map(({ namespace }) => ({ tier, namespace })));
      count += namespaces.reduce((sum, each) => sum + each.count, 0);
      tiers[tier] = { embedder: await embedderOf(client, tier, namespaces[0]?.namespace) };
    } catch (error) {
      const isOmitted = isMemoryError(error) && OMITTED_CODES.includes(error.code);
      if (named !== undefined || !isOmitted) throw error;
      omitted.push({ tier, code: error.code, message: error.message });
    }
  }
  if (scopes.length === 0 && omitted[0] !== undefined && Object.keys(tiers).length === 0) {
    throw new MemoryError(omitted[0].code as "unauthorized", omitted[0].message);
  }
  return { scopes, count, tiers, omitted };
}

interface CountedNamespace {
  readonly namespace: string;
  readonly count: number;
}

async function selectNamespaces(
  client: AgentMemory,
  tier: MemoryTier,
  selection: ExportSelection,
): Promise<CountedNamespace[]> {
  const { criteria, namespace } = selection;
  if (namespace === undefined || namespace.includes("*")) return listNamespaces(client, tier, selection);
  // Hosts and tiers that cannot list can read a named namespace.
  const { total } = await client.retrieve({ ...criteria, tier, namespace, limit: 0 });
  return total === 0 ? [] : [{ namespace, count: total }];
}

async function listNamespaces(
  client: AgentMemory,
  tier: MemoryTier,
  { criteria, namespace = "**" }: ExportSelection,
): Promise<CountedNamespace[]> {
  const found: CountedNamespace[] = [];
  try {
    const items = client.items({ ...criteria, tier, namespace }, { pageSize: LIMITS.listLimit });
    for await (const { value, count } of items) found.push({ namespace: String(value), count });
  } catch (error) {
    if (!isMemoryError(error) || error.code !== "too_large") throw error;
    const advice = `the ${tier} tier has too many namespaces for one export. Export parts with --namespace "a/**"`;
    throw new MemoryError("too_large", `${advice} (${error.message})`, error.detail, { cause: error });
  }
  return found.sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
}

/** Returns the id of the embedder of a tier, null if there is none or the host does not report it. */
export async function embedderOf(
  client: AgentMemory,
  tier: MemoryTier,
  namespace = "default",
): Promise<string | null> {
  try {
    const page = await client.retrieve({ tier, namespace, query: "memory", limit: 0, explain: true });
    return page.explain?.[0]?.embedder ?? null;
  } catch (error) {
    if (isMemoryError(error) && !error.retryable) return null;
    throw error;
  }
}
