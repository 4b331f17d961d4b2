import {
  comparePositions,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  positionOf,
  type ScopeSelector,
} from "@membus/protocol";
import { embedPending } from "../embed-pending.js";
import { usesAttributes } from "../partition/select.js";
import { checkPartitionCount } from "../residency/partition-registry.js";
import type { Resident } from "../residency/resident.js";
import type { RowBody } from "../row.js";
import { expireNow, type Tier } from "../tier.js";
import { entryOf, type Hit } from "./entry.js";
import { findHits } from "./find-hits.js";
import { type PreparedQuery, prepareQuery } from "./query.js";

/** How often a page is put together again because an entry of it went away meanwhile. */
const ATTEMPTS = 8;
/** Rows indexed at a stretch; a large partition lets other requests in between. */
const INDEX_STRETCH = 512;

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
  let merged: Page = { entries: [], total: 0, pendingCount: 0 };
  for (const scope of scopes) {
    const page = await tier.registry.use(scope, (resident) => retrieveFrom(tier, resident, request, query));
    merged = mergePages(merged, page, request);
  }
  const { entries, total, pendingCount } = merged;
  const degraded =
    query?.degraded ?? (needsVectors(request, query) ? vectorsMissing(pendingCount) : undefined);
  return {
    entries,
    total,
    total_relation: "eq",
    ...(degraded === undefined ? {} : { degraded }),
    took_ms: { query: milliseconds(begun, prepared), search: milliseconds(prepared, tier.clock.now()) },
  };
}

interface Page {
  readonly entries: MemoryEntry[];
  readonly total: number;
  /** Entries that could not be compared by their vector. */
  readonly pendingCount: number;
}

function mergePages(a: Page, b: Page, { order, limit }: PluginRetrieveRequest): Page {
  const total = a.total + b.total;
  const pendingCount = a.pendingCount + b.pendingCount;
  if (a.entries.length === 0 || b.entries.length === 0) {
    return { entries: a.entries.length === 0 ? b.entries : a.entries, total, pendingCount };
  }
  const entries = [...a.entries, ...b.entries]
    .map((entry) => ({ entry, position: positionOf(entry, order) }))
    .sort((first, second) => comparePositions(first.position, second.position, order))
    .slice(0, limit)
    .map(({ entry }) => entry);
  return { entries, total, pendingCount };
}

function needsVectors({ include }: PluginRetrieveRequest, query: PreparedQuery | undefined): boolean {
  return query?.vector !== undefined || include.includes("embedding");
}

function vectorsMissing(count: number): MemoryError | undefined {
  if (count === 0) return undefined;
  return new MemoryError("unavailable", `${count} entries have no vector yet; words still find them`, {
    count,
  });
}

function milliseconds(from: number, to: number): number {
  return Math.round((to - from) * 1e6) / 1e3;
}

/** Finds and reads; an entry that goes away while its body is read is not returned. */
async function retrieveFrom(
  tier: Tier,
  resident: Resident,
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
): Promise<Page> {
  await prepare(tier, resident, request, query);
  for (let attempt = 1; ; attempt++) {
    expireNow(tier, resident);
    const { hits, total } = findHits(resident, request, query);
    const { pendingCount } = resident.partition;
    const bodies = await tier.bodies.get(
      resident.id,
      hits.map((hit) => hit.rowId),
    );
    expireNow(tier, resident);
    const present = hits.filter((hit) => isCurrent(resident, hit) && bodies.has(hit.rowId));
    if (present.length < hits.length && attempt < ATTEMPTS) continue;
    touch(tier, resident, present);
    const entries = present.map((hit) => toEntry(tier, resident, hit, bodies, request));
    return { entries, total, pendingCount };
  }
}

/** What takes long in a partition that was just loaded, or never asked, is done before the look at it. */
async function prepare(
  tier: Tier,
  resident: Resident,
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
): Promise<void> {
  const { partition } = resident;
  const needs = { words: query !== undefined, attributes: usesAttributes(request.filter) };
  while (!partition.indexSome(needs, INDEX_STRETCH)) await new Promise(setImmediate);
  if (needsVectors(request, query) && !tier.durable) await embedPending(tier, resident);
}

function isCurrent(resident: Resident, hit: Hit): boolean {
  return resident.partition.slotOfRow(hit.keyHash, hit.rowId) !== undefined;
}

function touch(tier: Tier, resident: Resident, hits: readonly Hit[]): void {
  const now = tier.clock.now();
  for (const { keyHash, rowId } of hits) {
    const slot = resident.partition.slotOfRow(keyHash, rowId);
    if (slot !== undefined) resident.partition.columns.accessed[slot] = now;
    tier.retention?.touched({ scope: resident.id, keyHash });
  }
}

function toEntry(
  tier: Tier,
  resident: Resident,
  hit: Hit,
  bodies: ReadonlyMap<number, string>,
  { include }: PluginRetrieveRequest,
): MemoryEntry {
  const body = JSON.parse(bodies.get(hit.rowId)!) as RowBody;
  return entryOf(resident, hit, body, { include, embedder: tier.services.embedder?.id });
}
