import type { AgentMemory, ListResult, RetrieveRequest, RetrieveResult } from "@membus/agent-client";
import {
  type Filter,
  isJsonObject,
  isMemoryError,
  LIMITS,
  type MemoryEntry,
  MemoryError,
} from "@membus/protocol";
import { briefOf } from "./entry-brief.js";
import {
  CONVENTIONS,
  distinct,
  type FoundEntries,
  findAnywhere,
  type NamespaceList,
  namespacesAnywhere,
  orTooMany,
  placesOf,
} from "./find-anywhere.js";
import type { EntryBrief } from "./inspector-api.js";
import { countField, invalidField, optionalText, type Query, textField, tierField } from "./query-fields.js";
import { validityOf } from "./validity.js";

const NAMESPACES_MAX = 1_000;
const TAGS_MAX = 100;
const DERIVED_MAX = 50;
const RUN_LIMIT_MAX = 100;
const ALL_NAMESPACES = "**";

/** Lists the namespaces in which the agent has entries, by name. */
function listNamespaces(memory: AgentMemory, query: Query): Promise<NamespaceList> {
  return namespacesAnywhere(memory, { tier: tierField(query), limit: NAMESPACES_MAX }, CONVENTIONS);
}

/** Lists the most frequent tags in a namespace. */
function listTags(memory: AgentMemory, query: Query): Promise<ListResult> {
  const namespace = textField(query, "namespace");
  return memory.list({ field: "tags", order: "count", limit: TAGS_MAX, namespace, tier: tierField(query) });
}

/** An entry in search results. */
export interface FoundEntry extends EntryBrief {
  readonly key: MemoryEntry["key"];
  readonly tags: readonly string[];
  readonly occurred_at: number;
  /** Relevance to the query. Absent without a query. */
  readonly score?: number;
  readonly explain?: MemoryEntry["explain"];
}

type SearchRequest = ReturnType<typeof criteriaOf> &
  Pick<RetrieveRequest, "query" | "cursor"> & { readonly limit: number };
interface Found extends Omit<RetrieveResult, "took_ms"> {
  /** True if not all namespaces were searched. */
  readonly truncated?: boolean;
}

/** Returns a page of matching entries: the best first for a query, otherwise the newest. */
async function search(memory: AgentMemory, query: Query) {
  const criteria = criteriaOf(query);
  const limit = countField(query, "limit", { min: 1, max: 100, fallback: 20 });
  const request = {
    ...criteria,
    query: optionalText(query, "q"),
    limit,
    cursor: optionalText(query, "cursor"),
  };
  const page: Found =
    request.namespace === ALL_NAMESPACES
      ? await searchAnywhere(memory, request)
      : await retrieveExplained(memory, request);
  const { total, total_relation, cursor, truncated, degraded, approximate, explain } = page;
  const isRanked = request.query !== undefined;
  return {
    entries: page.entries.map((entry) => foundEntry(entry, isRanked)),
    total,
    total_relation,
    cursor,
    truncated,
    degraded,
    approximate,
    explain,
  };
}

/** Returns the filters of the view. A forget uses the same filters. */
function criteriaOf(query: Query) {
  return {
    namespace: textField(query, "namespace"),
    tier: tierField(query),
    tags: tagsField(query),
    tags_mode: "all" as const,
    since: timeField(query, "since"),
    until: timeField(query, "until"),
    where: kindFilter(query),
  };
}

/** Selects records of a kind. `-` selects entries that are no records. */
function kindFilter(query: Query): Filter | undefined {
  const kind = optionalText(query, "kind");
  if (kind === undefined) return undefined;
  const field = "metadata.kind";
  return kind === "-" ? { field, op: "exists", value: false } : { field, op: "eq", value: kind };
}

/** Merges the best page of each top-level namespace. There is no further page. */
async function searchAnywhere(memory: AgentMemory, { cursor: _, ...request }: SearchRequest): Promise<Found> {
  const { query: __, namespace: ___, limit, ...criteria } = request;
  const places = await placesOf(memory, criteria);
  const pages = await Promise.all(
    places.segments.map((segment) =>
      orTooMany(retrieveExplained(memory, { ...request, namespace: `${segment}/**` })),
    ),
  );
  const whole = pages.filter((page) => page !== undefined);
  const entries = whole.flatMap((page) => page.entries);
  const isRanked = request.query !== undefined;
  entries.sort((a, b) => (isRanked ? b.score - a.score : b.occurred_at - a.occurred_at));
  const truncated = places.truncated || whole.length < pages.length;
  const isAtLeast = truncated || whole.some((page) => page.total_relation === "gte");
  const approximate = [...new Set(whole.flatMap((page) => page.approximate ?? []))];
  return {
    entries: entries.slice(0, limit),
    total: whole.reduce((sum, { total }) => sum + total, 0),
    total_relation: isAtLeast ? "gte" : "eq",
    truncated,
    degraded: distinct([places, ...whole].flatMap(({ degraded }) => degraded ?? [])),
    ...(approximate.length > 0 && { approximate }),
  };
}

/** Retrieves with explanations, if the tiers support them. */
async function retrieveExplained(memory: AgentMemory, request: RetrieveRequest): Promise<RetrieveResult> {
  if (request.query === undefined) return memory.retrieve(request);
  try {
    return await memory.retrieve({ ...request, explain: true });
  } catch (error) {
    if (!isMemoryError(error) || error.code !== "unsupported") throw error;
    return memory.retrieve(request);
  }
}

/** Runs the retrieve of `request`, a JSON object with the fields of the protocol, and returns the reply. */
async function run(memory: AgentMemory, query: Query): Promise<RetrieveResult> {
  const request = parsed(textField(query, "request"));
  if (!isJsonObject(request)) throw invalidField("request", "must be a JSON object");
  const { limit = 10 } = request;
  if (typeof limit !== "number" || limit > RUN_LIMIT_MAX)
    throw invalidField("limit", `must be at most ${RUN_LIMIT_MAX}`);
  return memory.retrieve({ ...(request as RetrieveRequest), limit });
}

function foundEntry(entry: MemoryEntry, isRanked: boolean): FoundEntry {
  const { key, tags, occurred_at, score, explain } = entry;
  return { ...briefOf(entry), key, tags, occurred_at, ...(isRanked && { score, explain }) };
}

/** Returns one entry, its validity, its sources and the entries derived from it. */
async function readEntry(memory: AgentMemory, query: Query) {
  const $hash = textField(query, "key");
  const [tier, namespace] = [tierField(query), textField(query, "namespace")];
  const { entries } = await memory.retrieve({ keys: [{ $hash }], tier, namespace, include: ["context"] });
  const [entry] = entries;
  if (entry === undefined) throw new MemoryError("memory_not_found", "the entry does not exist");
  const [sources, derived, validity] = await Promise.all([
    sourcesOf(memory, entry),
    derivedFrom(memory, $hash),
    validityOf(memory, entry),
  ]);
  return {
    entry,
    validity,
    sources: sources.entries.map(briefOf),
    derived: derived.entries.map(briefOf),
    derived_truncated: derived.truncated,
    degraded: distinct([...sources.degraded, ...derived.degraded]),
  };
}

/** Returns the sources that exist. A key may exist in several places. */
async function sourcesOf(memory: AgentMemory, { sources = [] }: MemoryEntry): Promise<FoundEntries> {
  if (sources.length === 0) return { entries: [], truncated: false, degraded: [] };
  return findAnywhere(memory, { keys: sources.map(($hash) => ({ $hash })) }, 2 * LIMITS.sources);
}

async function derivedFrom(memory: AgentMemory, hash: string): Promise<FoundEntries> {
  const where = { field: "sources", op: "eq", value: hash } as const;
  return findAnywhere(memory, { where }, DERIVED_MAX);
}

/** Parses a JSON list, because a tag may contain any character. */
function tagsField(query: Query): string[] | undefined {
  const text = optionalText(query, "tags");
  if (text === undefined) return undefined;
  const tags = parsed(text);
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === "string"))
    return tags.length === 0 ? undefined : tags;
  throw new MemoryError("schema_violation", "tags: must be a JSON list of strings", { path: "tags" });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function timeField(query: Query, name: string): number | undefined {
  const text = optionalText(query, name);
  if (text === undefined) return undefined;
  const time = Number(text);
  if (Number.isFinite(time)) return time;
  throw new MemoryError("schema_violation", `${name}: must be Unix seconds`, { path: name });
}

/** Routes of the views *memories* and *playground*. */
export const MEMORY_ROUTES = {
  namespaces: listNamespaces,
  tags: listTags,
  memories: search,
  memory: readEntry,
  retrieve: run,
};
