import type { Table } from "@lancedb/lancedb";
import { lancedb } from "../lancedb.js";
import { compare, inFragments } from "../rows/filters.js";
import { indexing } from "./indexing.js";
import type { TenantTable } from "./tenant-table.js";
import { buildVectorIndex, dropVectorIndex, needsVectorIndex } from "./vector-index.js";

/**
 * Columns with a B-tree. For 80,000 scopes, a bitmap took 500 MiB more RAM. For 60,000 scopes, its update took 9.3
 * seconds instead of 0.7. Reads of small scopes take 4.1 ms, and took 2.7 ms with a bitmap.
 */
const INDEXED_COLUMNS = ["scope", "row_id"] as const;
/** Minimum rows of an indexed table. A smaller one is scanned as fast as an index is read. */
const INDEXED_ROWS_MIN = 2_048;
/** Compaction only rewrites fragments with fewer rows than this, LanceDB's target. */
const REWRITTEN_ROWS_MAX = 2 ** 20;
/**
 * Compaction waits until the new rows are at least 1/8 of the rewritten rows, or there are 8 times too many
 * fragments.
 */
const NEW_ROWS_DIVISOR = 8;
/**
 * Indexes are rebuilt when appends have stopped and 1/64 of the rows are unindexed, because reads scan these
 * rows.
 */
const UNINDEXED_DIVISOR = 64;
/** Maximum compaction rounds. One compaction may make another one possible. */
const ROUNDS = 16;
/**
 * Rounds concurrently with appends. There is always something left to compact, and each round takes as long
 * as the first.
 */
const CONCURRENT_ROUNDS = { purge: 2, compaction: 1 };
/** Number of compactions after which replaced files are removed, even if appends must wait. */
const KEPT_COMPACTIONS_MAX = 4;
/**
 * Removed rows are erased from disk once this many bytes were added, and as many as the table had. It thus
 * takes at most twice its size.
 */
const REPLACED_BYTES_MIN = 16 * 1024 * 1024;
/** LanceDB computes ages with its own clock. A time in the far past cleans up nothing. */
const NOTHING = new Date(0);
/**
 * A version names the operation that created it, such as the scope of a removal. A purge therefore ends with
 * a version that names nothing.
 */
const NO_ROW = compare("row_id", "<=", -1);

export interface TableMaintenance {
  readonly purge: boolean;
  readonly fragmentsMax: number;
}

/**
 * Keeps reads of a table fast and its files few. Files are removed only after their replacement is durable,
 * so a crash at any time leaves a complete table.
 */
export async function maintainTable(table: TenantTable, options: TableMaintenance): Promise<void> {
  const { backlog } = table;
  if (options.purge && !table.isPurged) {
    await compactConcurrently(table, true);
    return finish(table, true);
  }
  const isReplaced = isMostlyReplaced(table);
  if (isReplaced || isWorthCompacting(table, options.fragmentsMax)) await compactConcurrently(table, false);
  else if (backlog.unindexedCount >= options.fragmentsMax || (isQuiet(table) && needsIndexes(table))) {
    await table.gate.shared(() => buildIndexes(table));
  }
  const wasQuiet = isQuiet(table);
  backlog.seenFragmentCount = backlog.fragmentCount;
  const isDue = wasQuiet || isReplaced || isMostlyReplaced(table);
  if (backlog.compactionCount > 0 && (isDue || backlog.compactionCount >= KEPT_COMPACTIONS_MAX)) {
    await finish(table, false);
  }
}

/**
 * Returns whether more bytes were added than existed before, while some of them replace rows that are still
 * on disk.
 */
export function isMostlyReplaced({ backlog, cleanBytes }: TenantTable): boolean {
  return backlog.hasRemoved && backlog.byteCount >= Math.max(REPLACED_BYTES_MIN, cleanBytes);
}

/** Returns whether a compaction is worth its cost. */
export function isWorthCompacting({ backlog, rowCount }: TenantTable, fragmentsMax: number): boolean {
  if (backlog.fragmentCount < fragmentsMax) return false;
  const rewritten = Math.min(rowCount, REWRITTEN_ROWS_MAX);
  return (
    backlog.rowCount >= rewritten / NEW_ROWS_DIVISOR ||
    backlog.fragmentCount >= fragmentsMax * NEW_ROWS_DIVISOR
  );
}

/** Returns whether reads scan enough unindexed rows to make building indexes worth its cost. */
export function needsIndexes(table: TenantTable): boolean {
  const { backlog, rowCount, isIndexed } = table;
  const unindexed = isIndexed ? backlog.unindexedRowCount : rowCount;
  return needsVectorIndex(table) || unindexed >= Math.max(INDEXED_ROWS_MIN, rowCount / UNINDEXED_DIVISOR);
}

/** Returns whether nothing was appended since the last maintenance. */
function isQuiet({ backlog }: TenantTable): boolean {
  return backlog.fragmentCount === 0 || backlog.fragmentCount === backlog.seenFragmentCount;
}

/**
 * Runs the long part of a compaction concurrently with appends. Rows appended concurrently are left for the
 * next run.
 */
async function compactConcurrently(table: TenantTable, purge: boolean): Promise<void> {
  await table.gate.shared(async () => {
    const { rowCount, fragmentCount } = table.backlog;
    if (purge) await dropVectorIndex(table);
    if (purge || !table.isIndexed) await buildScalarIndexes(table);
    await compactFully(table, purge, purge ? CONCURRENT_ROUNDS.purge : CONCURRENT_ROUNDS.compaction);
    table.backlog.rowCount -= rowCount;
    table.backlog.fragmentCount -= fragmentCount;
    table.backlog.seenFragmentCount -= fragmentCount;
    table.backlog.unindexedCount = table.backlog.fragmentCount;
    table.backlog.unindexedRowCount = table.backlog.rowCount;
    table.backlog.compactionCount++;
    await table.measure();
  });
}

/** Completes a compaction exclusively, and removes every unneeded file from disk. */
async function finish(table: TenantTable, purge: boolean): Promise<void> {
  await table.gate.exclusive(async () => {
    if (!(await compactFully(table, purge, ROUNDS)))
      throw new Error(`compaction of table ${table.name} did not finish in ${ROUNDS} rounds`);
    if (purge) await table.commit((lance) => lance.delete(NO_ROW));
    await table.syncInGate();
    await table.waitForReads();
    await table.commit((lance) => table.stored.cleanUp(lance));
    if (purge) await table.rewrite();
    await table.resetCounters();
    if (purge) table.markPurged();
    await table.syncInGate();
  });
}

async function buildIndexes(table: TenantTable): Promise<void> {
  await buildScalarIndexes(table);
  if (needsVectorIndex(table)) await buildVectorIndex(table);
  // Adds the rows that were appended since.
  else if (table.vectorIndex.isBuilt) await indexing(() => table.commit(optimize));
}

/** Rebuilds the indexes, because an updated index keeps values that no row has any more. */
async function buildScalarIndexes(table: TenantTable): Promise<void> {
  if (!table.isIndexed && table.rowCount < INDEXED_ROWS_MIN) return;
  const { Index } = lancedb();
  const { unindexedCount, unindexedRowCount } = table.backlog;
  for (const column of INDEXED_COLUMNS) {
    // With a name, an index of another type is replaced, too.
    const options = { config: Index.btree(), name: `${column}_idx` };
    await indexing(() => table.commit((lance) => lance.createIndex(column, options)));
  }
  table.isIndexed = true;
  table.backlog.unindexedCount -= unindexedCount;
  table.backlog.unindexedRowCount -= unindexedRowCount;
}

/**
 * Compacts until nothing is left to compact. For a purge also until no file in use contains a removed row.
 * Returns false if that takes more rounds.
 */
async function compactFully(table: TenantTable, purge: boolean, rounds: number): Promise<boolean> {
  for (let round = 0; round < rounds; round++) {
    const run = () => table.commit(optimize);
    if (await (table.isIndexed ? indexing(run) : run())) continue;
    if (!purge || !(await rewriteFragmentsWithRemovedRows(table))) return true;
  }
  return false;
}

/**
 * Returns whether a version was added. Appended fragments are indexed in one call, and compacted in the next one. Without further
 * calls, the clean-up would add a version, and remove files of the version that is recorded.
 */
export async function optimize(lance: Table): Promise<boolean> {
  const before = await lance.version();
  await lance.optimize({ cleanupOlderThan: NOTHING });
  return (await lance.version()) !== before;
}

/**
 * Rewrites fragments with removed rows, because compaction skips a fragment that has lost less than a tenth
 * of its rows. An update without changes moves the remaining rows to a new fragment. Returns false if there
 * was nothing to do.
 */
async function rewriteFragmentsWithRemovedRows(table: TenantTable): Promise<boolean> {
  const fragments = await table.stored.fragmentsWithRemovedRows();
  if (fragments.length === 0) return false;
  if (!(await hasRemovedRows(table))) return false;
  const where = inFragments(fragments);
  await table.commit((lance) => lance.update({ where, valuesSql: { seq: "seq" } }));
  return true;
}

async function hasRemovedRows(table: TenantTable): Promise<boolean> {
  const versions = await table.read((lance) => lance.listVersions());
  const newest = versions.reduce((a, b) => (b.version > a.version ? b : a));
  return newest.metadata.total_deletion_files !== "0";
}
