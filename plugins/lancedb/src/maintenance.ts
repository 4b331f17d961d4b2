import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./disk.js";
import { compare, inFragments } from "./filters.js";
import { lancedb } from "./lancedb.js";
import type { TenantTable } from "./tenant-table.js";

/** A smaller table is scanned as fast as an index is read. */
const INDEXED_ROWS_MIN = 2_048;
/** Compaction rewrites fragments of fewer rows than this, LanceDB's target, and leaves others alone. */
const REWRITTEN_ROWS_MAX = 2 ** 20;
/** Compaction waits until the new rows are this part of what it rewrites, or the fragments are this many times too many. */
const TAIL_PART = 8;
/** Compaction may bring about compaction, of what it has brought side by side; but not for ever. */
const ROUNDS = 16;
/** LanceDB reckons ages by its own clock: a time in the far past cleans up nothing, one in the far future everything. */
const NOTHING = new Date(0);
const EVERYTHING = new Date(Date.UTC(2200, 0));
/** A version names what made it, such as the scope of a removal: a purge ends with one that names nothing. */
const NO_ROW = compare("row_id", "<=", -1);

export interface TableMaintenance {
  readonly purge: boolean;
  readonly fragmentsMax: number;
}

/**
 * Keeps reads of a table fast and its files few. Nothing is taken from disk before what replaces it is there for good,
 * so that a crash at any time leaves a whole table.
 */
export async function maintainTable(table: TenantTable, options: TableMaintenance): Promise<void> {
  if (options.purge && !table.isPurged) return compact(table, true);
  if (isWorthCompacting(table, options.fragmentsMax)) return compact(table, false);
  if (table.tail.unindexedCount >= options.fragmentsMax) await table.gate.shared(() => buildIndexes(table));
}

function isWorthCompacting({ tail, rowCount }: TenantTable, fragmentsMax: number): boolean {
  if (tail.fragmentCount < fragmentsMax) return false;
  const rewritten = Math.min(rowCount, REWRITTEN_ROWS_MAX);
  return tail.rowCount >= rewritten / TAIL_PART || tail.fragmentCount >= fragmentsMax * TAIL_PART;
}

/** The long part runs beside appends; what came in between is settled in the short part, which runs alone. */
async function compact(table: TenantTable, purge: boolean): Promise<void> {
  await table.gate.shared(async () => {
    if (purge || !table.isIndexed) await buildIndexes(table);
    await settle(table, purge);
  });
  await table.gate.exclusive(async () => {
    if (!(await settle(table, purge))) throw new Error(`compaction of table ${table.name} does not end`);
    if (purge) await table.commit((lance) => lance.delete(NO_ROW));
    await table.syncInGate();
    await table.oldReadsEnded();
    await cleanUp(table);
    Object.assign(table.tail, { rowCount: 0, fragmentCount: 0, versionCount: 0, unindexedCount: 0 });
    if (purge) table.markPurged();
    await table.syncInGate();
  });
}

/** Anew, because an index that is only brought up to date keeps values that no row has any more. */
async function buildIndexes(table: TenantTable): Promise<void> {
  if (!table.isIndexed && table.rowCount < INDEXED_ROWS_MIN) return;
  const { Index } = lancedb();
  await table.commit((lance) => lance.createIndex("scope", { config: Index.bitmap() }));
  await table.commit((lance) => lance.createIndex("row_id", { config: Index.btree() }));
  table.isIndexed = true;
  table.tail.unindexedCount = 0;
}

/**
 * Compacts until there is nothing left to compact and, for a purge, no removed row left in any file in use. Returns
 * false when appends beside it always leave something.
 */
async function settle(table: TenantTable, purge: boolean): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
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
  if (files.length === 0) return false;
  if (!(await hasRemovedRows(table))) return false;
  const fragments = new Set(files.map((name) => Number.parseInt(name, 10)));
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
