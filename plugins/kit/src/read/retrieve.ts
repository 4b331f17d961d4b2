import {
  comparePositions,
  LIMITS,
  type MemoryEntry,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  positionOf,
  type ScopeSelector,
} from "@membus/protocol";
import { embedPending } from "../embed-pending.js";
import { checkPartitionCount } from "../residency/partition-registry.js";
import type { Resident } from "../residency/resident.js";
import type { RowBody } from "../row.js";
import { expireNow, type Tier } from "../tier.js";
import { entryOf, type Hit } from "./entry.js";
import { findHits } from "./find-hits.js";
import { type PreparedQuery, prepareQuery } from "./query.js";

/** How often a page is put together again because an entry of it went away meanwhile. */
const ATTEMPTS = 8;

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
  const pages: Page[] = [];
  for (const scope of scopes) {
    pages.push(await tier.registry.use(scope, (resident) => retrieveFrom(tier, resident, request, query)));
  }
  return {
    entries: mergePages(pages, request),
    total: pages.reduce((sum, page) => sum + page.total, 0),
    total_relation: "eq",
    ...(query?.degraded === undefined ? {} : { degraded: query.degraded }),
    took_ms: { query: milliseconds(begun, prepared), search: milliseconds(prepared, tier.clock.now()) },
  };
}

interface Page {
  readonly entries: MemoryEntry[];
  readonly total: number;
}

function mergePages(pages: readonly Page[], { order, limit }: PluginRetrieveRequest): MemoryEntry[] {
  if (pages.length === 1) return pages[0]!.entries;
  return pages
    .flatMap((page) => page.entries)
    .map((entry) => ({ entry, position: positionOf(entry, order) }))
    .sort((a, b) => comparePositions(a.position, b.position, order))
    .slice(0, limit)
    .map(({ entry }) => entry);
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
  if (query?.vector !== undefined && !tier.durable) await embedPending(tier, resident);
  for (let attempt = 1; ; attempt++) {
    expireNow(tier, resident);
    const { hits, total } = findHits(resident, request, query);
    const bodies = await tier.bodies.get(
      resident.id,
      hits.map((hit) => hit.rowId),
    );
    expireNow(tier, resident);
    const present = hits.filter((hit) => isCurrent(resident, hit) && bodies.has(hit.rowId));
    if (present.length < hits.length && attempt < ATTEMPTS) continue;
    touch(tier, resident, present);
    return { entries: present.map((hit) => toEntry(tier, resident, hit, bodies, request)), total };
  }
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
