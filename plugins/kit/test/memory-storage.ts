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
  type VectorStorage,
  vectorBatchOf,
} from "../src/index.js";
import { similarity } from "../src/search/index.js";

/** Waits for a turn of the event loop, like a disk access. */
const turn = (): Promise<void> => new Promise(setImmediate);

/** A strict storage in memory: a row appended twice exists twice, and overlapping writes are refused. */
export class MemoryStorage implements Storage {
  readonly rows = new Map<string, Row[]>();
  readonly maintained: { readonly purge: boolean }[] = [];
  isOpen = true;
  /** Whether a write was dropped because the process counts as killed. */
  isHalted = false;
  #writesLeft = Number.POSITIVE_INFINITY;
  readonly #busy = new Set<"writes" | "maintenance">();

  /** `dimensions` is the vector length of the embedder. */
  constructor(public dimensions: number) {}

  /** Returns the state that another process finds after a kill. */
  clone(): MemoryStorage {
    const copy = new MemoryStorage(this.dimensions);
    for (const [scope, rows] of this.rows) copy.rows.set(scope, [...rows]);
    return copy;
  }

  /** Executes this number of further writes, and drops later ones. */
  haltAfter(writes: number): void {
    this.#writesLeft = writes;
  }

  /** Ids of all rows, in order. */
  get rowIds(): number[] {
    return [...this.rows.values()].flatMap((rows) => rows.map(({ rowId }) => rowId)).sort((a, b) => a - b);
  }

  async open(): Promise<void> {
    this.isOpen = true;
  }

  /** Loads in batches of two, with turns of the event loop in between. */
  async load(scope: string, into: RowSink): Promise<void> {
    await turn();
    const rows = this.rows.get(scope) ?? [];
    into.reserve(rows.length);
    for (let from = 0; from < rows.length; from += 2) {
      into.take(columnsOf(rows.slice(from, from + 2), this.dimensions));
      await turn();
    }
  }

  async readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    await turn();
    const wanted = new Set(rowIds);
    const rows = (this.rows.get(scope) ?? []).filter(({ rowId }) => wanted.has(rowId));
    return new Map(rows.map(({ rowId, body }) => [rowId, body]));
  }

  readonly vectors: VectorStorage = {
    read: async (scope, rowIds) => {
      await turn();
      return this.#vectorsOf(scope, (rowId) => rowIds.includes(rowId));
    },
    nearest: async (scope, vector, count) => {
      await turn();
      const all = [...this.#vectorsOf(scope, () => true)];
      const compared = all.map(([rowId, found]) => ({ rowId, found, by: similarity(vector, found, 0) }));
      const nearest = compared.toSorted((a, b) => b.by - a.by).slice(0, count);
      return new Map(nearest.map(({ rowId, found }) => [rowId, found]));
    },
    readAll: async (scope, take) => {
      await turn();
      take(vectorBatchOf(this.rows.get(scope) ?? [], this.dimensions));
    },
  };

  #vectorsOf(scope: string, isWanted: (rowId: number) => boolean): Map<number, Float32Array> {
    const rows = (this.rows.get(scope) ?? []).filter(({ rowId }) => isWanted(rowId));
    return new Map(
      rows.flatMap(({ rowId, vector }) => (vector?.length === this.dimensions ? [[rowId, vector]] : [])),
    );
  }

  async append(added: readonly ScopedRow[]): Promise<void> {
    await this.#write(() => {
      for (const { scope, row } of added) {
        const rows = this.rows.get(scope);
        if (rows === undefined) this.rows.set(scope, [row]);
        else rows.push(row);
      }
    });
  }

  async remove(deleted: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void> {
    const wanted = new Set(deleted.map(({ scope, rowId }) => `${rowId} ${scope}`));
    await this.#drop((scope, { rowId }) => wanted.has(`${rowId} ${scope}`));
  }

  async removeFrom(first: number, scopes: readonly string[]): Promise<void> {
    await this.#drop((scope, { rowId }) => rowId >= first && scopes.includes(scope));
  }

  tenants(): readonly string[] {
    return [...new Set([...this.rows.keys()].map((scope) => parseScopeId(scope).tenant))];
  }

  async scopes(tenant: string): Promise<readonly Scope[]> {
    await turn();
    return [...this.rows.keys()].map(parseScopeId).filter((scope) => scope.tenant === tenant);
  }

  async sizes(tenant: string, take: (size: RowSize) => void): Promise<void> {
    for (const [scope, rows] of [...this.rows]) {
      await turn();
      if (parseScopeId(scope).tenant !== tenant) continue;
      for (const row of rows) take({ ...row, scope, bodyBytes: Buffer.byteLength(row.body) });
    }
  }

  async expiredScopes(now: number, limit: number): Promise<readonly string[]> {
    const isPast = ({ expiresAt }: Row): boolean => expiresAt !== 0 && expiresAt <= now;
    return [...this.rows].flatMap(([scope, rows]) => (rows.some(isPast) ? [scope] : [])).slice(0, limit);
  }

  async outdated(ids: GenerationIds, limit: number): Promise<Outdated> {
    await turn();
    const outdated = [...this.rows].map(([scope, rows]) => ({
      scope,
      count: rows.filter((row) => isOutdated(row, ids)).length,
    }));
    const scopes = outdated.filter(({ count }) => count > 0).map(({ scope }) => scope);
    const outdatedCount = outdated.reduce((sum, { count }) => sum + count, 0);
    return { rowCount: this.rowIds.length, outdatedCount, scopes: scopes.slice(0, limit) };
  }

  async sync(): Promise<void> {
    await this.#write(() => undefined);
  }

  async maintain(options: { readonly purge: boolean }): Promise<boolean> {
    await this.#alone("maintenance", () => this.maintained.push(options));
    return true;
  }

  stats(): Record<string, number> {
    return { storage_rows: this.rowIds.length };
  }

  async close(): Promise<void> {
    this.isOpen = false;
  }

  async #drop(isDeleted: (scope: string, row: Row) => boolean): Promise<void> {
    await this.#write(() => {
      for (const [scope, rows] of this.rows) {
        const rest = rows.filter((row) => !isDeleted(scope, row));
        if (rest.length === 0) this.rows.delete(scope);
        else this.rows.set(scope, rest);
      }
    });
  }

  #write(change: () => void): Promise<void> {
    return this.#alone("writes", change);
  }

  async #alone(kind: "writes" | "maintenance", change: () => void): Promise<void> {
    if (!this.isOpen) throw new Error("storage is closed");
    if (this.#busy.has(kind)) throw new Error(`${kind} overlap`);
    this.#busy.add(kind);
    await turn();
    if (this.#writesLeft-- <= 0) {
      this.isHalted = true;
      await new Promise(() => undefined);
    }
    change();
    this.#busy.delete(kind);
  }
}
