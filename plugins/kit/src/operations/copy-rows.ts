import { MemoryError, type Scope } from "@membus/protocol";
import { type LoadedPartition, replaceRows, rowAt, vectorsOfRows } from "../lifecycle/index.js";
import { isExpired, type Row, type RowBody, type RowFacets } from "../row.js";
import { filterableEntry } from "./retrieve/entry.js";
import { versionOf } from "./store/previous.js";
import type { StoreParts, TierCore } from "./tier.js";

/** Where a page of rows begins, and its limits. */
export interface RowPageRequest {
  /** Row id of the last row of the page before. 0 for the first page. */
  readonly after: number;
  readonly countMax: number;
  /** Limit of all fields of the rows. One row is returned even if it is larger. */
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
  /** Rows that are there already, in the same revision or a later one, or that were forgotten during the call. */
  readonly keptCount: number;
}

/** Bytes of the numbers and the key hash of a row. */
const FIXED_BYTES = 200;
const BYTES_PER_COMPONENT = 4;
/** Largest size of a UTF-16 unit in UTF-8. */
const BYTES_PER_UNIT_MAX = 3;

interface PageRow {
  readonly rowId: number;
  readonly slot: number;
}

/**
 * Reads the entries of a scope in pages. Entries that are stored during a copy have later row ids, so a later page has them. One
 * that gets its vector in between is in two pages.
 * @throws {Error} if the body of a live row is missing. Errors of the storage.
 */
export async function readRows(
  { registry, bodies, vectors, clock }: TierCore,
  scope: Scope,
  request: RowPageRequest,
): Promise<RowPage> {
  return registry.use(scope, async (loaded) => {
    const { page, isLast } = pageOf(loaded, request, clock.now());
    const { partition } = loaded;
    const wanted = page.map(({ rowId, slot }) => ({ rowId, keyHash: partition.keys.hashOf(slot) }));
    const copied = await vectorsOfRows(vectors, loaded, wanted);
    const found = await bodies.get(
      loaded.id,
      wanted.map(({ rowId }) => rowId),
    );
    // An entry that was replaced or forgotten during the wait is left out. A later page has its new version.
    const rows = wanted.flatMap(({ rowId, keyHash }) => {
      const slot = partition.slotOfRow(keyHash, rowId);
      if (slot === undefined) return [];
      const body = found.get(rowId);
      if (body === undefined) throw new Error("the body of a current row is missing");
      return [copyOf(loaded, slot, body, copied.get(rowId) ?? null)];
    });
    return { rows, next: isLast && rows.length === page.length ? undefined : page.at(-1)?.rowId };
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
  const order = tier.forgets.storeStarted();
  try {
    await tier.usageTracker?.of(scope.tenant);
    return await tier.registry.use(scope, async (loaded) => {
      await tier.expiry.expireInSteps(loaded);
      await checkSame(tier, loaded, rows);
      const written = rows.filter((row) => isNew(tier, loaded, row, order)).map((row) => analysed(tier, row));
      const added = written.filter(({ keyHash }) => versionOf(loaded, keyHash) === undefined).length;
      if (added > 0 && loaded.partition.liveCount + loaded.staged.size + added > tier.partitionRowsMax)
        throw new MemoryError("memory_full", `a namespace holds at most ${tier.partitionRowsMax} entries`);
      if (written.length > 0) await write(tier, loaded, written, order);
      return { writtenCount: written.length, keptCount: rows.length - written.length };
    });
  } finally {
    tier.forgets.storeEnded(order);
  }
}

/** Returns how many of the rows are neither there in the same revision nor in a later one. Errors as in `writeRows`. */
export async function countMissingRows(
  tier: StoreParts,
  scope: Scope,
  rows: readonly Row[],
): Promise<number> {
  return tier.registry.use(scope, async (loaded) => {
    await checkSame(tier, loaded, rows);
    return rows.filter((row) => isOlder(loaded, row)).length;
  });
}

function isOlder(loaded: LoadedPartition, row: Row): boolean {
  return (versionOf(loaded, row.keyHash)?.revision ?? 0) < row.revision;
}

/** Whether to write a row. A forget that is running or has begun after the copy of this row wins. */
function isNew(tier: StoreParts, loaded: LoadedPartition, row: Row, order: number): boolean {
  if (!isOlder(loaded, row) || loaded.staged.get(row.keyHash)?.row === null) return false;
  return !tier.forgets.forgotten(order, loaded.scope, () => filterableEntry(row));
}

/** Returns the live rows with the lowest row ids above `after`. */
function pageOf(
  loaded: LoadedPartition,
  { after, countMax, bytesMax }: RowPageRequest,
  now: number,
): { readonly page: readonly PageRow[]; readonly isLast: boolean } {
  const { columns } = loaded.partition;
  const { rowId: ids, expiresAt } = columns.numbers;
  let lowest: PageRow[] = [];
  let isAll = true;
  for (let slot = 0; slot < columns.count; slot++) {
    const rowId = ids[slot]!;
    const isRead =
      columns.alive[slot] === 1 && rowId > after && !isExpired({ expiresAt: expiresAt[slot]! }, now);
    if (!isRead) continue;
    lowest.push({ rowId, slot });
    if (lowest.length < 2 * countMax) continue;
    lowest = byRowId(lowest).slice(0, countMax);
    isAll = false;
  }
  let bytes = 0;
  const page = byRowId(lowest)
    .slice(0, countMax)
    .filter(({ slot }, index) => {
      bytes += bytesOf(loaded, slot);
      return index === 0 || bytes <= bytesMax;
    });
  return { page, isLast: isAll && page.length === lowest.length };
}

function byRowId(rows: PageRow[]): PageRow[] {
  return rows.sort((a, b) => a.rowId - b.rowId);
}

function bytesOf({ partition: { columns, vectors } }: LoadedPartition, slot: number): number {
  const texts = columns.bodyBytes[slot]! + columns.facets.sizeAt(slot);
  const group = columns.groups[slot]!.length * BYTES_PER_UNIT_MAX;
  return FIXED_BYTES + texts + group + BYTES_PER_COMPONENT * (vectors?.dimensions ?? 0);
}

function copyOf(loaded: LoadedPartition, slot: number, body: string, vector: Float32Array | null): Row {
  const { vectors } = loaded.partition;
  const hasVector = vectors !== undefined && !vectors.isPending(slot);
  return {
    ...rowAt(loaded, slot, body),
    ...{ terms: null, analyzer: "" },
    embedder: hasVector ? vectors.embedder : "",
    vector,
  };
}

async function checkSame(tier: TierCore, loaded: LoadedPartition, rows: readonly Row[]): Promise<void> {
  const { columns } = loaded.partition;
  const same = rows.flatMap((row) => {
    const slot = loaded.partition.slotOf(row.keyHash);
    if (slot === undefined || columns.numbers.revision[slot] !== row.revision) return [];
    return [{ row, rowId: columns.numbers.rowId[slot]!, facets: columns.facets.at(slot) }];
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

async function write(
  tier: StoreParts,
  loaded: LoadedPartition,
  rows: readonly Row[],
  order: number,
): Promise<void> {
  const replaced = rows.flatMap(({ keyHash }) => versionOf(loaded, keyHash)?.rowId ?? []);
  for (const { revision } of rows) tier.forgets.stored(order, loaded.id, revision);
  await replaceRows(tier, loaded, rows, replaced);
  if (rows.some(({ embedder }) => embedder === "")) tier.needsVectors(loaded);
}
