import { randomUUID } from "node:crypto";
import type { Connection, Table } from "@lancedb/lancedb";
import { isDiskFull } from "@membus/disk";
import { type DamagedPart, tenantDamaged } from "@membus/plugin-kit";
import type { Clock } from "@membus/protocol";
import { inParallel } from "../in-parallel.js";
import { isLanceError } from "../lancedb.js";
import { readScopes } from "../rows/read-rows.js";
import { tableSchema } from "../rows/schema.js";
import type { StoredTable } from "../store/table-store.js";
import { isUnreachable, throwIfUnreachable } from "../store/unreachable.js";
import { type ConnectDependencies, connectTables } from "./connect-tables.js";
import { DamagedTables, type TakenTable } from "./damaged-tables.js";
import { OpenTable } from "./open-table.js";
import { TableChanges } from "./table-changes.js";
import { tenantOf } from "./table-name.js";
import { TenantTable } from "./tenant-table.js";
import { UnreachableCounts } from "./unreachable-counts.js";

export interface TablesDependencies extends ConnectDependencies {
  readonly clock: Clock;
  /** Opens tables with missing rows. */
  readonly acceptLoss: boolean;
  /** Called for every opened table. */
  opened(table: TenantTable): void;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Tables of a tier, opened on first use. Beyond the limit, the least recently used idle tables are closed.
 */
export class Tables {
  readonly unreachable = new UnreachableCounts();
  readonly #parts: TablesDependencies;
  readonly #connection: Connection;
  /** All existing tables. No other process uses the store. */
  readonly #names: Set<string>;
  /** Tables that this process has rolled back to their synced version. */
  readonly #recovered = new Set<string>();
  /** Open tables, least recently used first. */
  readonly #open = new Map<string, OpenTable>();
  readonly #damaged: DamagedTables;
  /**
   * Unsynced changes of tables that were closed because the store could not be reached. The log still has
   * them, too. The next opening makes them again.
   */
  readonly #unwritten = new Map<string, TableChanges>();
  /** Tables that are in use again while their tenants are still refused. */
  #recoveredDamaged: readonly string[] = [];
  #closingCount = 0;

  private constructor(parts: TablesDependencies, connection: Connection, names: Iterable<string>) {
    this.#parts = parts;
    this.#connection = connection;
    this.#names = new Set(names);
    this.#damaged = new DamagedTables(parts);
  }

  static async open(parts: TablesDependencies): Promise<Tables> {
    const { connection, names } = await connectTables(parts);
    return new Tables(parts, connection, names);
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  get damagedTenants(): ReadonlySet<string> {
    // Fast path, because every request reads this.
    if (this.damagedCount === 0 && this.#recoveredDamaged.length === 0) return NONE;
    return new Set([...this.#damaged.names, ...this.#recoveredDamaged].map(tenantOf));
  }

  get damagedParts(): readonly DamagedPart[] {
    return this.#damaged.parts;
  }

  isDamaged(name: string): boolean {
    return this.#damaged.has(name);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  get damagedCount(): number {
    return this.#damaged.count;
  }

  /** Tables that are open now. */
  get open(): readonly TenantTable[] {
    return [...this.#open.values()].flatMap(({ table }) => table ?? []);
  }

  /**
   * Runs `task` on a table. Returns undefined and creates nothing if the table does not exist.
   * @throws {MemoryError} `unavailable` for a damaged table, or if the store cannot be reached.
   */
  async use<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T | undefined> {
    // A table that is being dropped must not be created again by a waiting task.
    await this.#closed(name);
    return this.has(name) ? this.#useOrCreate(name, task) : undefined;
  }

  /** Like `use` for a reading task. A table with unreadable files becomes damaged. */
  async read<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.unreachable.of("reads", this.use(name, task));
    } catch (error) {
      throwIfUnreachable(error);
      if (!isLanceError(error)) throw error;
      await this.#setAside(name, error, () => undefined);
      throw tenantDamaged(error);
    }
  }

  /** Like `use` for maintenance. Its failures damage no table. */
  async maintain(name: string, task: (table: TenantTable) => Promise<void>): Promise<void> {
    try {
      await this.unreachable.of("writes", this.use(name, task));
    } catch (error) {
      if (this.#damaged.has(name)) throw error;
      this.#throwIfUnreachable(name, isUnreachable(error) ? error : await this.#parts.store.obstacle?.());
      throw error;
    }
  }

  /** Runs a reading `task` on every undamaged table. A table with a failure becomes damaged. */
  async each(
    task: (table: TenantTable) => Promise<void>,
    isNeeded: (name: string) => boolean = () => true,
  ): Promise<void> {
    for (const name of this.names) {
      if (this.#damaged.has(name) || !isNeeded(name)) continue;
      try {
        await this.unreachable.of("reads", this.use(name, task));
      } catch (error) {
        throwIfUnreachable(error);
        await this.#setAside(name, error, () => undefined);
      }
    }
  }

  /**
   * Writes to a table and creates it if it is missing. If the write is not possible now, `note` records it.
   */
  async write(
    name: string,
    note: (changes: TableChanges) => void,
    task: (table: TenantTable) => Promise<void>,
  ): Promise<void> {
    if (this.#damaged.has(name)) return this.#damaged.change(name, note);
    try {
      await this.unreachable.of("writes", this.#useOrCreate(name, task));
    } catch (error) {
      // An invalid request would fail again the next time.
      if (error instanceof TypeError) throw error;
      await this.#setAside(name, error, note);
    }
  }

  /**
   * Removes a table with all its files once it is unused. From the call on it does not exist. It must not be
   * written to concurrently.
   */
  async drop(name: string): Promise<void> {
    this.#names.delete(name);
    try {
      await this.#closeWhenUnused(name);
      await this.#parts.store.table(name).remove();
    } catch (error) {
      this.#names.add(name);
      throw error;
    }
    this.#recovered.delete(name);
    this.#unwritten.delete(name);
  }

  /** Retries damaged tables that are due. Recovered tables are served from the next call on. */
  async retryDamaged(): Promise<void> {
    this.#recoveredDamaged = [];
    for (const name of this.#damaged.due) {
      const isRecovered = await this.#damaged.retry(name, (changes) => this.#reopen(name, changes));
      if (isRecovered) this.#recoveredDamaged = [...this.#recoveredDamaged, name];
    }
  }

  /**
   * Makes all writes to tables durable. Closed tables were synced when they were closed, unless the store
   * could not be reached.
   */
  async sync(): Promise<void> {
    await inParallel(new Set([...this.#open.keys(), ...this.#unwritten.keys()]), async (name) => {
      try {
        await this.unreachable.of(
          "writes",
          this.use(name, (table) => table.sync()),
        );
      } catch (error) {
        await this.#setAside(name, error, () => undefined);
      }
    });
    await this.#damaged.keep();
  }

  async close(): Promise<void> {
    for (const name of [...this.#open.keys()]) await this.#closed(name);
    await inParallel([...this.#open], async ([name, entry]) => this.#close(name, entry, await entry.opening));
    await this.#damaged.keep();
    this.#connection.close();
  }

  /** Runs `task` on a table and keeps the table open. */
  async #useOrCreate<T>(name: string, task: (table: TenantTable) => Promise<T>): Promise<T> {
    const entry = await this.#acquire(name);
    try {
      return await task(await this.#opened(name, entry));
    } finally {
      entry.leave();
      await this.#closeIdle();
    }
  }

  async #opened(name: string, { opening }: OpenTable): Promise<TenantTable> {
    try {
      return await opening;
    } catch (error) {
      await this.#setAside(name, error, () => undefined);
      throw tenantDamaged(error);
    }
  }

  /**
   * Sets a damaged table aside, together with its changes that are not durable. Throws instead if the table
   * itself is intact: on a full disk, and if the store cannot be reached.
   */
  async #setAside(name: string, error: unknown, note: (changes: TableChanges) => void): Promise<void> {
    if (isDiskFull(error)) throw error;
    const obstacle = isUnreachable(error)
      ? error
      : await this.#damaged.judge(name, error, () => this.#takeUnused(name));
    this.#throwIfUnreachable(name, obstacle);
    this.#unwritten.delete(name);
    this.#open.delete(name);
    this.#damaged.change(name, note);
  }

  /** Returns the changes of a table that are not durable, once it has no users. */
  async #takeUnused(name: string): Promise<TakenTable> {
    const table = await this.#open.get(name)?.whenUnused();
    const changes = new TableChanges();
    for (const kept of [this.#unwritten.get(name), table?.unsynced])
      if (kept !== undefined) changes.add(kept);
    return { changes, release: async () => table?.abandon() };
  }

  #throwIfUnreachable(name: string, error: unknown): void {
    if (isUnreachable(error)) this.#release(name);
    throwIfUnreachable(error);
  }

  /**
   * Closes a table after a failed write, because its version is unknown. Its unsynced changes stay in RAM.
   * Later users wait for it.
   */
  #release(name: string): void {
    const entry = this.#open.get(name);
    if (entry?.table === undefined || entry.closing !== undefined) return;
    entry.closing = this.#abandon(name, entry, entry.table).catch((error: unknown) => {
      this.#parts.logger.warn({ err: error, table: name }, "could not close a table");
    });
  }

  async #abandon(name: string, entry: OpenTable, table: TenantTable): Promise<void> {
    try {
      await entry.unused();
      await table.abandon();
    } finally {
      // A table that became damaged in between has its changes in the queue.
      if (this.#open.get(name) === entry) {
        if (!table.unsynced.isEmpty) this.#unwritten.set(name, table.unsynced);
        this.#recovered.delete(name);
        this.#open.delete(name);
      }
    }
  }

  async #reopen(name: string, changes: TableChanges): Promise<void> {
    this.#recovered.delete(name);
    const table = await this.#openTable(name, changes);
    try {
      await readScopes(table, new Set());
    } finally {
      await table.close();
    }
  }

  async #acquire(name: string): Promise<OpenTable> {
    await this.#closed(name);
    if (this.#damaged.has(name)) throw tenantDamaged();
    const entry = this.#open.get(name) ?? this.#startOpening(name);
    entry.enter();
    this.#open.delete(name);
    this.#open.set(name, entry);
    return entry;
  }

  #startOpening(name: string): OpenTable {
    const opening = this.#openTable(name);
    const entry = new OpenTable(opening);
    opening.then(
      (table) => {
        entry.table = table;
        this.#parts.opened(table);
      },
      () => this.#open.delete(name),
    );
    return entry;
  }

  /** Opens a table and applies `changes`, or the queued ones. */
  async #openTable(name: string, changes?: TableChanges): Promise<TenantTable> {
    const { options: _options, opened: _opened, store, ...shared } = this.#parts;
    const stored = store.table(name);
    const isSynced = this.#recovered.has(name);
    const found = this.#names.has(name) ? await stored.open(this.#connection, isSynced) : undefined;
    const opened = found ?? (await this.#create(name, stored));
    // The next opening rolls back a failed one.
    this.#recovered.delete(name);
    const table = await TenantTable.open(opened, { ...shared, name, stored });
    try {
      const pending = changes ?? (await stored.queue.read());
      const unwritten = this.#unwritten.get(name);
      if (unwritten !== undefined) pending.add(unwritten);
      if (!pending.isEmpty) {
        await table.applyChanges(pending);
        await stored.queue.remove();
      }
    } catch (error) {
      await table.abandon();
      throw error;
    }
    this.#unwritten.delete(name);
    this.#recovered.add(name);
    return table;
  }

  async #create(name: string, stored: StoredTable): Promise<Table> {
    const { dimensions, keptContentId } = this.#parts;
    const ids = { contentId: randomUUID(), keptContentId: keptContentId(name) };
    const table = await stored.create(this.#connection, tableSchema(dimensions), ids);
    this.#names.add(name);
    return table;
  }

  /** Resolves when the table is not being closed, and it is known whether it is damaged. */
  async #closed(name: string): Promise<void> {
    const pending = () => this.#damaged.verdictOn(name) ?? this.#open.get(name)?.closing;
    for (let waiting = pending(); waiting !== undefined; waiting = pending())
      await waiting.then(undefined, () => undefined);
  }

  /** Closes a table without a sync once it is unused. */
  async #closeWhenUnused(name: string): Promise<void> {
    await this.#closed(name);
    const entry = this.#open.get(name);
    if (entry === undefined) return;
    if (entry.isUsed) {
      await entry.unused();
      return this.#closeWhenUnused(name);
    }
    entry.closing = entry.table?.abandon();
    await entry.closing;
    this.#open.delete(name);
  }

  async #closeIdle(): Promise<void> {
    for (const [name, entry] of this.#open) {
      if (this.#open.size - this.#closingCount <= this.#parts.options.openTablesMax) return;
      if (entry.isUsed || entry.table === undefined || entry.closing !== undefined) continue;
      await this.#close(name, entry, entry.table).catch((error: unknown) => {
        this.#parts.logger.warn({ err: error, table: name }, "could not close a table, it stays open");
      });
    }
  }

  /** Closes a table. A table that cannot be synced stays open, so that it is not treated as synced. */
  async #close(name: string, entry: OpenTable, table: TenantTable): Promise<void> {
    entry.closing = table.close();
    this.#closingCount++;
    try {
      await entry.closing;
      this.#open.delete(name);
    } finally {
      this.#closingCount--;
      entry.closing = undefined;
    }
  }
}
