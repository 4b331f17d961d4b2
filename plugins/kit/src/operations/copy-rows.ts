import { MemoryError, type Scope } from "@membus/protocol";
import { rowIdOf } from "../journal/index.js";
import { countAdded, type LoadedPartition } from "../lifecycle/index.js";
import { isExpired, type Row, type RowBody, type RowFacets } from "../row.js";
import { versionOf } from "./store/previous.js";
import type { StoreParts, TierCore } from "./tier.js";

/** Where a page of rows begins, and its limits. */
export interface RowPageRequest {
  /** Row id of the last row of the page before. 0 for the first page. */
  readonly after: number;
  readonly countMax: number;
  /** Limit of the bodies. One row is returned even if it is larger. */
  readonly bytesMax: number;
}

export interface RowPage {
  /** Entries as they are now, in the order of their row ids. Without terms, which their target computes. */
  readonly rows: readonly Row[];
  /** `after` of the next page. Undefined after the last one. */
  readonly next: number | undefined;
}

export interface WrittenRows {
  readonly writtenCount: number;
  /** Rows that are there already, in the same revision or a later one. */
  readonly keptCount: number;
}

/**
 * Reads the entries of a scope in pages. Entries that are stored during a copy have later row ids, so a later page has them. One
 * that gets its vector in between is in two pages.
 */
export async function readRows(
  { registry, bodies, clock }: TierCore,
  scope: Scope,
  request: RowPageRequest,
): Promise<RowPage> {
  return registry.use(scope, async (loaded) => {
    const { rowIds, isLast } = pageOf(loaded, request, clock.now());
    const found = await bodies.get(loaded.id, rowIds);
    // An entry that was replaced or forgotten during the wait is left out.
    const rows = slotsOf(loaded, rowIds).flatMap(({ slot, rowId }) => {
      const body = found.get(rowId);
      return body === undefined ? [] : [rowAt(loaded, slot, body)];
    });
    return { rows, next: isLast ? undefined : rowIds.at(-1) };
  });
}

/**
 * Writes entries of another folder or cluster with their revisions and times. An entry with a later revision is kept. Quotas count
 * the entries and refuse none.
 *
 * @throws {MemoryError} `conflict` for another entry with the same revision, `memory_full` for too many entries in the scope, and the
 * errors of the journal. Nothing of the call was written then.
 */
export async function writeRows(tier: StoreParts, scope: Scope, rows: readonly Row[]): Promise<WrittenRows> {
  await tier.usageTracker?.of(scope.tenant);
  return tier.registry.use(scope, async (loaded) => {
    await checkSame(tier, loaded, rows);
    const isNew = (row: Row) => (versionOf(loaded, row.keyHash)?.revision ?? 0) < row.revision;
    const written = rows.filter(isNew).map((row) => analysed(tier, row));
    if (loaded.partition.liveCount + loaded.staged.size + written.length > tier.partitionRowsMax)
      throw new MemoryError("memory_full", `a namespace holds at most ${tier.partitionRowsMax} entries`);
    if (written.length > 0) await append(tier, loaded, written);
    return { writtenCount: written.length, keptCount: rows.length - written.length };
  });
}

/** Returns the lowest row ids of live rows above `after`. */
function pageOf(
  { partition: { columns } }: LoadedPartition,
  { after, countMax, bytesMax }: RowPageRequest,
  now: number,
): { readonly rowIds: readonly number[]; readonly isLast: boolean } {
  const { rowId: ids, expiresAt } = columns.numbers;
  let lowest: { readonly rowId: number; readonly bytes: number }[] = [];
  let isLast = true;
  for (let slot = 0; slot < columns.count; slot++) {
    const rowId = ids[slot]!;
    if (columns.alive[slot] !== 1 || rowId <= after || isExpired({ expiresAt: expiresAt[slot]! }, now))
      continue;
    lowest.push({ rowId, bytes: columns.bodyBytes[slot]! });
    if (lowest.length < 2 * countMax) continue;
    lowest = lowest.sort((a, b) => a.rowId - b.rowId).slice(0, countMax);
    isLast = false;
  }
  lowest.sort((a, b) => a.rowId - b.rowId);
  let bytes = 0;
  const fitting = lowest.slice(0, countMax).filter((row, index) => {
    bytes += row.bytes;
    return index === 0 || bytes <= bytesMax;
  });
  return { rowIds: fitting.map(({ rowId }) => rowId), isLast: isLast && fitting.length === lowest.length };
}

/** Returns the slots of the row ids that are still live, in the order of the ids. */
function slotsOf({ partition: { columns } }: LoadedPartition, rowIds: readonly number[]) {
  const wanted = new Set(rowIds);
  const found: { readonly slot: number; readonly rowId: number }[] = [];
  for (let slot = 0; slot < columns.count; slot++) {
    const rowId = columns.numbers.rowId[slot]!;
    if (columns.alive[slot] === 1 && wanted.has(rowId)) found.push({ slot, rowId });
  }
  return found.sort((a, b) => a.rowId - b.rowId);
}

function rowAt({ partition }: LoadedPartition, slot: number, body: string): Row {
  const { columns, keys, vectors } = partition;
  const hasVector = vectors !== undefined && !vectors.isPending(slot);
  return {
    ...{ keyHash: keys.hashOf(slot), group: columns.groups[slot]!, facets: columns.facets.at(slot), body },
    ...{ terms: null, analyzer: "" },
    embedder: hasVector ? vectors.embedder : "",
    vector: (hasVector && vectors.vectorOf(slot)) || null,
    ...columns.numbersAt(slot),
  };
}

async function checkSame(tier: StoreParts, loaded: LoadedPartition, rows: readonly Row[]): Promise<void> {
  const { partition } = loaded;
  const same = rows.flatMap((row) => {
    const slot = partition.slotOf(row.keyHash);
    if (slot === undefined || partition.columns.numbers.revision[slot] !== row.revision) return [];
    return [
      { row, rowId: partition.columns.numbers.rowId[slot]!, facets: partition.columns.facets.at(slot) },
    ];
  });
  const bodies = await tier.bodies.get(
    loaded.id,
    same.map(({ rowId }) => rowId),
  );
  for (const { row, rowId, facets } of same) {
    const body = bodies.get(rowId);
    if (body === undefined || (body === row.body && facets === row.facets)) continue;
    const { tenant, namespace } = loaded.scope;
    const message = `tenant ${tenant} has another entry with revision ${row.revision} in namespace ${namespace}: the copies have different histories`;
    throw new MemoryError("conflict", message, { reason: "different_entry" });
  }
}

function analysed({ indexer, analyzerId, embedderId }: StoreParts, row: Row): Row {
  const facets = JSON.parse(row.facets) as RowFacets;
  const terms = indexer.terms({ body: JSON.parse(row.body) as RowBody, facets, occurredAt: row.occurredAt });
  const keepsVector = row.embedder === embedderId;
  const vector = keepsVector ? row.vector : null;
  return { ...row, terms, analyzer: analyzerId, embedder: keepsVector ? row.embedder : "", vector };
}

async function append(tier: StoreParts, loaded: LoadedPartition, rows: readonly Row[]): Promise<void> {
  await tier.journal.append({
    build: (seq) => ({
      at: tier.clock.now(),
      scope: loaded.id,
      rows: rows.map((row, index) => ({ ...row, rowId: rowIdOf(seq, index) })),
      removed: rows.flatMap(({ keyHash }) => versionOf(loaded, keyHash)?.rowId ?? []),
    }),
    stage(record, seq) {
      for (const row of record.rows) {
        loaded.stage(row.keyHash, { seq, row });
        loaded.reserveRevision(row.revision);
      }
    },
    apply(record, seq) {
      for (const row of record.rows) {
        tier.bodies.pin(row.rowId, row.body);
        countAdded(tier.usageTracker, loaded, row);
        loaded.partition.add(row);
        loaded.unstage(row.keyHash, seq);
        if (row.embedder === "") tier.needsVectors(loaded);
      }
      for (const rowId of record.removed) tier.bodies.drop(rowId);
    },
  });
}
