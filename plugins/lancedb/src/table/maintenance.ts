import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../disk.js";
import { lancedb } from "../lancedb.js";
import { compare, inFragments } from "../rows/filters.js";
import type { TenantTable } from "./tenant-table.js";

/** A smaller table is scanned as fast as an index is read. */
const INDEXED_ROWS_MIN = 2_048;
/** Compaction rewrites fragments of fewer rows than this, LanceDB's target, and leaves others alone. */
const REWRITTEN_ROWS_MAX = 2 ** 20;
/** Compaction waits until the new rows are this part of what it rewrites, or the fragments are this many times too many. */
const TAIL_PART = 8;
/** Indexes are built anew once nothing comes any more and this part of the rows is in none: reads scan those. */
const UNINDEXED_PART = 64;
/** Compaction may bring about compaction, of what it has brought side by side; but not for ever. */
const ROUNDS = 16;
/** Beside appends there is always something left to compact, which takes as long as the first time. */
const ROUNDS_BESIDE = { purge: 2, compaction: 1 };
/** Compactions after which the files that they replaced go, even if appends have to wait for it. */
const KEPT_COMPACTIONS_MAX = 4;
/** What removed rows leave goes once this many bytes have come, and as many as the table had: it takes twice those at most. */
const REPLACED_BYTES_MIN = 16 * 1024 * 1024;
/** LanceDB reckons ages by its own clock: a time in the far past cleans up nothing, one in the far future everything. */
const NOTHING = new Date(0);
const EVERYTHING = new Date(Date.UTC(2200, 0));
/** A version names what made it, such as the scope of a removal: a purge ends with one that names nothing. */
const NO_ROW = compare("row_id", "<=", -1);
/** The removed rows of a fragment, whose number comes first. */
const DELETIONS = /^(\d+)-.*\.(?:arrow|bin)$/;

export interface TableMaintenance {
  readonly purge: boolean;
  readonly fragmentsMax: number;
}

/**
 * Keeps reads of a table fast and its files few. Nothing is taken from disk before what replaces it is there for good,
 * so that a crash at any time leaves a whole table.
 */
export async function maintainTable(table: TenantTable, options: TableMaintenance): Promise<void> {
  const { tail } = table;
  if (options.purge && !table.isPurged) {
    await compactBeside(table, true);
    return finish(table, true);
  }
  const isReplaced = isMostlyReplaced(table);
  if (isReplaced || isWorthCompacting(table, options.fragmentsMax)) await compactBeside(table, false);
  else if (tail.unindexedCount >= options.fragmentsMax || (isQuiet(table) && lacksIndexes(table))) {
    await table.gate.shared(() => buildIndexes(table));
  }
  const wasQuiet = isQuiet(table);
  tail.seenFragmentCount = tail.fragmentCount;
  const isDue = wasQuiet || isReplaced || isMostlyReplaced(table);
  if (tail.compactionCount > 0 && (isDue || tail.compactionCount >= KEPT_COMPACTIONS_MAX)) {
    await finish(table, false);
  }
}

/** Whether more has come than there was, some of it in the place of what is still on disk. */
export function isMostlyReplaced({ tail, cleanBytes }: TenantTable): boolean {
  return tail.hasRemoved && tail.byteCount >= Math.max(REPLACED_BYTES_MIN, cleanBytes);
}

/** Whether a compaction would bring more than it takes. */
export function isWorthCompacting({ tail, rowCount }: TenantTable, fragmentsMax: number): boolean {
  if (tail.fragmentCount < fragmentsMax) return false;
  const rewritten = Math.min(rowCount, REWRITTEN_ROWS_MAX);
  return tail.rowCount >= rewritten / TAIL_PART || tail.fragmentCount >= fragmentsMax * TAIL_PART;
}

/** Whether reads scan so much that indexes do not cover that building them pays, once nothing comes any more. */
export function lacksIndexes({ tail, rowCount, isIndexed }: TenantTable): boolean {
  const unindexed = isIndexed ? tail.unindexedRowCount : rowCount;
  return unindexed >= Math.max(INDEXED_ROWS_MIN, rowCount / UNINDEXED_PART);
}

/** Nothing was appended since the last time. */
function isQuiet({ tail }: TenantTable): boolean {
  return tail.fragmentCount === 0 || tail.fragmentCount === tail.seenFragmentCount;
}

/** The long part, beside appends. What they bring meanwhile is left for the next time. */
async function compactBeside(table: TenantTable, purge: boolean): Promise<void> {
  await table.gate.shared(async () => {
    const { rowCount, fragmentCount } = table.tail;
    if (purge || !table.isIndexed) await buildIndexes(table);
    await settle(table, purge, purge ? ROUNDS_BESIDE.purge : ROUNDS_BESIDE.compaction);
    table.tail.rowCount -= rowCount;
    table.tail.fragmentCount -= fragmentCount;
    table.tail.seenFragmentCount -= fragmentCount;
    table.tail.unindexedCount = table.tail.fragmentCount;
    table.tail.unindexedRowCount = table.tail.rowCount;
    table.tail.compactionCount++;
    await table.measure();
  });
}

/** Alone: settles what came in between, and takes every file that is not needed any more from disk. */
async function finish(table: TenantTable, purge: boolean): Promise<void> {
  await table.gate.exclusive(async () => {
    if (!(await settle(table, purge, ROUNDS)))
      throw new Error(`compaction of table ${table.name} does not end`);
    if (purge) await table.commit((lance) => lance.delete(NO_ROW));
    await table.syncInGate();
    await table.oldReadsEnded();
    await cleanUp(table);
    await table.cleaned();
    if (purge) table.markPurged();
    await table.syncInGate();
  });
}

/** Anew, because an index that is only brought up to date keeps values that no row has any more. */
async function buildIndexes(table: TenantTable): Promise<void> {
  if (!table.isIndexed && table.rowCount < INDEXED_ROWS_MIN) return;
  const { Index } = lancedb();
  const { unindexedCount, unindexedRowCount } = table.tail;
  await table.commit((lance) => lance.createIndex("scope", { config: Index.bitmap() }));
  await table.commit((lance) => lance.createIndex("row_id", { config: Index.btree() }));
  table.isIndexed = true;
  table.tail.unindexedCount -= unindexedCount;
  table.tail.unindexedRowCount -= unindexedRowCount;
}

/**
 * Compacts until there is nothing left to compact and, for a purge, no removed row left in any file in use. Returns
 * false when that takes more rounds.
 */
async function settle(table: TenantTable, purge: boolean, rounds: number): Promise<boolean> {
  for (let round = 0; round < rounds; round++) {
    const { compaction } = await table.commit((lance) => lance.optimize({ cleanupOlderThan: NOTHING }));
    if (compaction.fragmentsRemoved > 0) continue;
    if (!purge || !(await rewriteFragmentsWithRemovedRows(table))) return true;
  }
  return false;
}

/**
 * Compaction leaves a fragment alone that has lost less than a tenth of its rows. An update that changes nothing moves
 * the others to a new one. Returns false when there was nothing to do.
 */
async function rewriteFragmentsWithRemovedRows(table: TenantTable): Promise<boolean> {
  const files = await listDirectory(join(table.directory, "_deletions"));
  const fragments = new Set(files.flatMap((name) => DELETIONS.exec(name)?.[1] ?? []).map(Number));
  if (fragments.size === 0) return false;
  if (!(await hasRemovedRows(table))) return false;
  const where = inFragments([...fragments]);
  await table.commit((lance) => lance.update({ where, valuesSql: { seq: "seq" } }));
  return true;
}

async function hasRemovedRows(table: TenantTable): Promise<boolean> {
  const versions = await table.read((lance) => lance.listVersions());
  const newest = versions.reduce((a, b) => (b.version > a.version ? b : a));
  return newest.metadata.total_deletion_files !== "0";
}

/** Every file that the present version does not need goes. Nothing is written meanwhile, so none is of a write under way. */
async function cleanUp(table: TenantTable): Promise<void> {
  await table.commit((lance) => lance.optimize({ cleanupOlderThan: EVERYTHING, deleteUnverified: true }));
  const indexes = join(table.directory, "_indices");
  for (const name of await listDirectory(indexes)) {
    // LanceDB leaves the directory of a former index behind; that of one in use is not empty and stays.
    await rmdir(join(indexes, name)).catch(() => undefined);
  }
}

async function listDirectory(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
