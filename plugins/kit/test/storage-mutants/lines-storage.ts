import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { parseScopeId, type Scope } from "@membus/protocol";
import {
  columnsOf,
  type GenerationIds,
  isOutdated,
  type Outdated,
  type Row,
  type RowSink,
  type RowSize,
  type ScopedRow,
  type Storage,
  type StorageContext,
  type VectorStorage,
  vectorBatchOf,
} from "../../src/index.js";
import { similarity } from "../../src/search/index.js";

type Line =
  | { readonly scope: string; readonly row: unknown }
  | { readonly scope: string; readonly gone: readonly number[] };

/**
 * A correct storage. Each mutant changes one part of it. It has a file of JSON lines per scope, to which rows
 * and removals are appended, and which a purge rewrites.
 */
export class LinesStorage implements Storage {
  protected readonly rows = new Map<string, Map<number, Row>>();
  protected readonly unsynced = new Set<string>();
  /** Scopes with files that contain lines of removed rows. */
  protected readonly spoilt = new Set<string>();
  /** Serialises writes to files, because maintenance overlaps with them. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(readonly place: StorageContext) {}

  protected get directory(): string {
    return join(this.place.directory, "lines");
  }

  protected pathOf(scope: string): string {
    return join(this.directory, `${this.nameOf(scope)}.jsonl`);
  }

  protected nameOf(scope: string): string {
    return createHash("sha256").update(scope).digest("hex");
  }

  /** Returns the key of a scope for maps. */
  protected keyOf(scope: string): string {
    return scope;
  }

  protected encode(row: Row): unknown {
    const { terms, vector, ...rest } = row;
    return { ...rest, terms: terms && [...terms], vector: vector && base64(vector) };
  }

  protected decode(value: unknown): Row {
    const { terms, vector, ...rest } = value as Row & { terms: number[] | null; vector: string | null };
    return { ...rest, terms: terms && Uint32Array.from(terms), vector: vector && floatsOf(vector) };
  }

  async open(): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    for (const name of (await readdir(this.directory)).sort())
      await this.openFile(join(this.directory, name));
  }

  protected async openFile(path: string): Promise<void> {
    if (!path.endsWith(".jsonl")) return rm(path);
    const text = await readFile(path, "utf8");
    const whole = this.wholeLines(text);
    if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole));
    for (const line of whole.split("\n")) if (line !== "") this.takeLine(JSON.parse(line) as Line);
  }

  /** Returns the text without an incomplete line at the end. */
  protected wholeLines(text: string): string {
    return text.slice(0, text.lastIndexOf("\n") + 1);
  }

  protected takeLine(line: Line): void {
    if ("row" in line) {
      const row = this.decode(line.row);
      this.rowsOf(line.scope).set(row.rowId, row);
    } else {
      for (const rowId of line.gone) this.drop(line.scope, rowId);
    }
  }

  protected rowsOf(scope: string): Map<number, Row> {
    const key = this.keyOf(scope);
    const rows = this.rows.get(key) ?? new Map<number, Row>();
    this.rows.set(key, rows);
    return rows;
  }

  protected drop(scope: string, rowId: number): void {
    if (this.rowsOf(scope).delete(rowId)) this.spoilt.add(scope);
  }

  async load(scope: string, into: RowSink): Promise<void> {
    const rows = [...this.rowsOf(scope).values()];
    into.reserve(rows.length);
    into.take(columnsOf(rows, this.place.dimensions));
  }

  readonly vectors: VectorStorage = {
    read: async (scope, rowIds) => this.vectorsOf(scope, rowIds),
    nearest: async (scope, vector, count) => this.nearestTo(scope, vector, count),
    readAll: async (scope, take) => {
      for (const rows of this.allOf(scope)) take(vectorBatchOf(rows, this.place.dimensions));
    },
  };

  protected nearestTo(scope: string, vector: Float32Array, count: number): Map<number, Float32Array> {
    const all = [...this.vectorsOf(scope, [...this.rowsOf(scope).keys()])];
    const sorted = all.toSorted(([, a], [, b]) => similarity(vector, b, 0) - similarity(vector, a, 0));
    return new Map(sorted.slice(0, count));
  }

  /** Returns the rows of a scope in batches. */
  protected allOf(scope: string): Row[][] {
    return [[...this.rowsOf(scope).values()]];
  }

  protected vectorsOf(scope: string, rowIds: readonly number[]): Map<number, Float32Array> {
    const rows = this.rowsOf(scope);
    return new Map(
      rowIds.flatMap((rowId) => {
        const vector = rows.get(rowId)?.vector;
        return vector ? [[rowId, vector]] : [];
      }),
    );
  }

  async readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = this.rowsOf(scope);
    return new Map(rowIds.flatMap((rowId) => (rows.has(rowId) ? [[rowId, rows.get(rowId)!.body]] : [])));
  }

  async append(added: readonly ScopedRow[]): Promise<void> {
    for (const [scope, rows] of byScope(added)) {
      await this.inTurn(async () => {
        await this.write(
          scope,
          rows.map(({ row }) => ({ scope, row: this.encode(row) })),
        );
        for (const { row } of rows) this.rowsOf(scope).set(row.rowId, row);
      });
    }
  }

  async remove(gone: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void> {
    for (const [scope, rows] of byScope(gone))
      await this.removeIds(
        scope,
        rows.map(({ rowId }) => rowId),
      );
  }

  async removeFrom(first: number, scopes: readonly string[]): Promise<void> {
    for (const scope of scopes) {
      await this.removeIds(
        scope,
        [...this.rowsOf(scope).keys()].filter((rowId) => rowId >= first),
      );
    }
  }

  protected async removeIds(scope: string, ids: readonly number[]): Promise<void> {
    const gone = ids.filter((rowId) => this.rowsOf(scope).has(rowId));
    if (gone.length === 0) return;
    await this.inTurn(async () => {
      await this.write(scope, [{ scope, gone }]);
      for (const rowId of gone) this.drop(scope, rowId);
    });
  }

  protected async write(scope: string, lines: readonly Line[]): Promise<void> {
    this.unsynced.add(scope);
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    await withFile(this.pathOf(scope), "a", (file) => file.writeFile(text));
  }

  protected inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  tenants(): readonly string[] {
    return [...new Set(this.filled().map(([scope]) => parseScopeId(scope).tenant))];
  }

  async scopes(tenant: string): Promise<readonly Scope[]> {
    return this.filled()
      .map(([scope]) => parseScopeId(scope))
      .filter((scope) => scope.tenant === tenant);
  }

  protected filled(): [string, Map<number, Row>][] {
    return [...this.rows].filter(([, rows]) => rows.size > 0);
  }

  async sizes(tenant: string, take: (size: RowSize) => void): Promise<void> {
    for (const [scope, rows] of this.filled()) {
      if (parseScopeId(scope).tenant !== tenant) continue;
      for (const row of rows.values()) take({ ...row, scope, bodyBytes: Buffer.byteLength(row.body) });
    }
  }

  async expiredScopes(now: number, limit: number): Promise<readonly string[]> {
    const isPast = ({ expiresAt }: Row): boolean => expiresAt !== 0 && expiresAt <= now;
    return this.filled()
      .flatMap(([scope, rows]) => ([...rows.values()].some(isPast) ? [scope] : []))
      .slice(0, limit);
  }

  async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    const all = this.filled().flatMap(([scope, rows]) => [...rows.values()].map((row) => ({ scope, row })));
    const outdated = all.filter(({ row }) => isOutdated(row, ids));
    const scopes = [...new Set(outdated.map(({ scope }) => scope))].slice(0, limit);
    return { rowCount: all.length, outdatedCount: outdated.length, scopes };
  }

  async sync(): Promise<void> {
    for (const scope of [...this.unsynced]) {
      this.unsynced.delete(scope);
      await this.inTurn(() => withFile(this.pathOf(scope), "a", (file) => file.sync()));
    }
  }

  async maintain({ purge }: { readonly purge: boolean; readonly tenant?: string }): Promise<boolean> {
    if (!purge) return true;
    for (const scope of [...this.spoilt]) await this.inTurn(() => this.rewrite(scope));
    return true;
  }

  protected async rewrite(scope: string): Promise<void> {
    this.spoilt.delete(scope);
    const rows = [...this.rowsOf(scope).values()];
    const path = this.pathOf(scope);
    const text = rows.map((row) => `${JSON.stringify({ scope, row: this.encode(row) })}\n`).join("");
    await withFile(`${path}.new`, "w", async (file) => {
      await file.writeFile(text);
      await file.sync();
    });
    await rename(`${path}.new`, path);
    if (rows.length === 0) await rm(path);
  }

  /** Copies the files, which do not change during the snapshot. */
  async snapshot(directory: string): Promise<void> {
    await mkdir(join(directory, "lines"), { recursive: true });
    for (const name of await readdir(this.directory)) {
      const text = await readFile(join(this.directory, name));
      await withFile(join(directory, "lines", name), "w", (file) => file.writeFile(text));
    }
  }

  stats(): Readonly<Record<string, number>> {
    return { storage_scopes: this.rows.size };
  }

  async close(): Promise<void> {}
}

export async function withFile<T>(
  path: string,
  flags: string,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function byScope<T extends { readonly scope: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(item.scope, [...(groups.get(item.scope) ?? []), item]);
  return groups;
}

function base64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function floatsOf(text: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(text, "base64")).buffer);
}
