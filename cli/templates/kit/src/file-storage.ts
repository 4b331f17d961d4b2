import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  columnsOf,
  type GenerationIds,
  isOutdated,
  type Outdated,
  parseScopeId,
  type Row,
  type RowSink,
  type RowSize,
  type Scope,
  type ScopedRow,
  type Storage,
  type StorageContext,
} from "membus/plugin";
import { parseRow, rowAsJson } from "./row-json.js";

/**
 * Stores rows in one file per scope. Replace it with your database. The kit has already logged the rows when
 * it calls `append` and `remove`. They may therefore be slow, and are repeated after a crash.
 */
class FileStorage implements Storage {
  readonly #directory: string;
  readonly #dimensions: number;
  readonly #rows = new Map<string, Map<number, Row>>();

  constructor(directory: string, dimensions: number) {
    this.#directory = directory;
    this.#dimensions = dimensions;
  }

  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    for (const name of await readdir(this.#directory)) {
      if (name.endsWith(DRAFT)) await rm(join(this.#directory, name));
      if (!name.endsWith(".json")) continue;
      const text = await readFile(join(this.#directory, name), "utf8");
      const { scope, rows } = JSON.parse(text) as { scope: string; rows: unknown[] };
      this.#rows.set(scope, new Map(rows.map(parseRow).map((row) => [row.rowId, row])));
    }
  }

  async load(scope: string, into: RowSink): Promise<void> {
    const rows = [...this.#rowsOf(scope).values()];
    into.reserve(rows.length);
    into.take(columnsOf(rows, this.#dimensions));
  }

  async readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = this.#rowsOf(scope);
    return new Map(rowIds.flatMap((rowId) => (rows.has(rowId) ? [[rowId, rows.get(rowId)!.body]] : [])));
  }

  async append(added: readonly ScopedRow[]): Promise<void> {
    for (const { scope, row } of added) {
      const rows = this.#rowsOf(scope).set(row.rowId, row);
      this.#rows.set(scope, rows);
    }
    await this.#write(added.map(({ scope }) => scope));
  }

  async remove(removed: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void> {
    for (const { scope, rowId } of removed) this.#rowsOf(scope).delete(rowId);
    await this.#write(removed.map(({ scope }) => scope));
  }

  async removeFrom(first: number, scopes: readonly string[]): Promise<void> {
    for (const scope of scopes) {
      const rows = this.#rowsOf(scope);
      for (const rowId of [...rows.keys()]) if (rowId >= first) rows.delete(rowId);
    }
    await this.#write(scopes);
  }

  async scopes(tenant: string): Promise<readonly Scope[]> {
    const filled = [...this.#rows].flatMap(([scope, rows]) => (rows.size === 0 ? [] : [parseScopeId(scope)]));
    return filled.filter((scope) => scope.tenant === tenant);
  }

  async sizes(tenant: string, take: (size: RowSize) => void): Promise<void> {
    for (const [scope, rows] of this.#rows) {
      if (parseScopeId(scope).tenant !== tenant) continue;
      for (const row of rows.values()) take({ ...row, scope, bodyBytes: Buffer.byteLength(row.body) });
    }
  }

  async expiredScopes(now: number, limit: number): Promise<readonly string[]> {
    const isPast = ({ expiresAt }: Row): boolean => expiresAt !== 0 && expiresAt <= now;
    const expired = [...this.#rows].filter(([, rows]) => [...rows.values()].some(isPast));
    return expired.map(([scope]) => scope).slice(0, limit);
  }

  async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    const found = [...this.#rows].map(([scope, rows]) => {
      return {
        scope,
        rowCount: rows.size,
        count: [...rows.values()].filter((row) => isOutdated(row, ids)).length,
      };
    });
    return {
      rowCount: found.reduce((sum, { rowCount }) => sum + rowCount, 0),
      outdatedCount: found.reduce((sum, { count }) => sum + count, 0),
      scopes: found
        .filter(({ count }) => count > 0)
        .map(({ scope }) => scope)
        .slice(0, limit),
    };
  }

  /**
   * Flushes the folder, because new and deleted file names are durable only after that. File contents are
   * flushed on write.
   */
  async sync(): Promise<void> {
    // Windows cannot open folders. Its file system journals file names.
    if (process.platform === "win32") return;
    const folder = await open(this.#directory, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /** Deleted rows leave no data in the files. */
  async maintain(): Promise<boolean> {
    return true;
  }

  stats(): Readonly<Record<string, number>> {
    return { storage_scopes: this.#rows.size };
  }

  async close(): Promise<void> {}

  #rowsOf(scope: string): Map<number, Row> {
    return this.#rows.get(scope) ?? new Map<number, Row>();
  }

  async #write(scopes: readonly string[]): Promise<void> {
    for (const scope of new Set(scopes)) {
      const rows = [...this.#rowsOf(scope).values()];
      const path = join(this.#directory, `${createHash("sha256").update(scope).digest("hex")}.json`);
      if (rows.length === 0) await rm(path, { force: true });
      else await replaceFile(path, JSON.stringify({ scope, rows: rows.map(rowAsJson) }));
    }
  }
}

/** Suffix of an unfinished write. Drafts are deleted on open, because they may contain forgotten entries. */
const DRAFT = ".new";

/** Replaces a file atomically. */
async function replaceFile(path: string, text: string): Promise<void> {
  const file = await open(path + DRAFT, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path + DRAFT, path);
}

/** Creates the storage, for the kit and for the storage suite, which runs it in a separate process. */
export function createStorage({ directory, dimensions }: StorageContext): Storage {
  return new FileStorage(join(directory, "rows"), dimensions);
}
