import {
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  type Scope,
  type ScopeSelector,
} from "@membus/protocol";
import { embedPending } from "../embed-pending.js";
import { indexBehind } from "../index-behind.js";
import { usesAttributes } from "../partition/select.js";
import { checkPartitionCount } from "../residency/partition-registry.js";
import type { Resident } from "../residency/resident.js";
import { expireNow, type Tier } from "../tier.js";
import { type FoundHits, findHits } from "./find-hits.js";
import { mergeHits, type ScopedHit } from "./merge-hits.js";
import { type PreparedQuery, prepareQuery, queryFor } from "./query.js";
import { readEntries } from "./read-entries.js";

/** How often a page is put together again because an entry of it went away meanwhile. */
const ATTEMPTS = 8;
/** Rows prepared at a stretch; a large partition lets other requests in between. */
const PREPARED_STRETCH = 4_096;

/** One page of the selected partitions, merged by the total order (clause RET-5). */
export async function retrieve(
  tier: Tier,
  selector: ScopeSelector,
  request: PluginRetrieveRequest,
): Promise<PluginRetrieveResult> {
  const begun = tier.clock.now();
  const scopes = await tier.registry.select(selector);
  checkPartitionCount(scopes.length, LIMITS.subtreePartitions);
  const query = await prepareQuery(tier, request);
  const prepared = tier.clock.now();
  const { entries, total, ...found } = await retrievePage(tier, scopes, request, query);
  const degraded = found.degraded ?? vectorsMissing(found.pendingCount);
  return {
    entries,
    total,
    total_relation: "eq",
    ...(degraded === undefined ? {} : { degraded }),
    took_ms: { query: milliseconds(begun, prepared), search: milliseconds(prepared, tier.clock.now()) },
  };
}

interface Found {
  readonly hits: readonly ScopedHit[];
  readonly total: number;
  /** Entries that could not be compared by their vector. */
  readonly pendingCount: number;
  /** Why some of it is ranked by less than was asked. */
  readonly degraded: MemoryError | undefined;
}

/** Finds, then reads; what goes away while it is read is not returned. */
async function retrievePage(
  tier: Tier,
  scopes: readonly Scope[],
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
): Promise<Omit<Found, "hits"> & { readonly entries: MemoryEntry[] }> {
  for (let attempt = 1; ; attempt++) {
    const { hits, ...counts } = await findEverywhere(tier, scopes, request, query);
    const entries = await readEntries(tier, hits, request.include);
    if (entries.length === hits.length || attempt === ATTEMPTS) return { entries, ...counts };
  }
}

async function findEverywhere(
  tier: Tier,
  scopes: readonly Scope[],
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
): Promise<Found> {
  let hits: readonly ScopedHit[] = [];
  let total = 0;
  let pendingCount = 0;
  let degraded: MemoryError | undefined = scopes.length === 0 ? query?.degraded : undefined;
  for (const scope of scopes) {
    const found = await tier.registry.use(scope, (resident) => findIn(tier, resident, request, query));
    hits = mergeHits(
      hits,
      found.hits.map((hit) => ({ scope, hit })),
      request,
    );
    total += found.total;
    pendingCount += found.pendingCount;
    degraded ??= found.degraded;
  }
  return { hits, total, pendingCount, degraded };
}

/** What takes long in a partition that was just loaded, or never asked, is done before the look at it. */
async function findIn(
  tier: Tier,
  resident: Resident,
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
): Promise<FoundHits & Pick<Found, "pendingCount" | "degraded">> {
  const { partition } = resident;
  const needs = { words: query !== undefined, attributes: usesAttributes(request.filter) };
  while (!partition.prepareSome(needs, PREPARED_STRETCH)) await new Promise(setImmediate);
  if (needs.words) indexBehind(tier, resident);
  if (needsVectors(request, query) && !tier.durable) await embedPending(tier, resident);
  expireNow(tier, resident);
  const asked = query && queryFor(partition, query, request.embedding !== undefined);
  const compared = asked?.vector === undefined ? partition.vectors : partition.generations.of(asked.embedder);
  const pendingCount = needsVectors(request, asked) ? (compared?.pendingCount ?? 0) : 0;
  return { ...findHits(resident, request, asked), pendingCount, degraded: asked?.degraded };
}

function needsVectors({ include }: PluginRetrieveRequest, query: PreparedQuery | undefined): boolean {
  return query?.vector !== undefined || include.includes("embedding");
}

function vectorsMissing(count: number): MemoryError | undefined {
  if (count === 0) return undefined;
  const message = `${count} entries have no vector yet; words still find them`;
  return new MemoryError("unavailable", message, { count });
}

function milliseconds(from: number, to: number): number {
  return Math.round((to - from) * 1e6) / 1e3;
}
