import { randomUUID } from "node:crypto";
import type { Connection, Table } from "@lancedb/lancedb";
import { storageUnreachable } from "@membus/plugin-kit";
import type { Schema } from "apache-arrow";
import { copyRows } from "./copy-rows.js";
import type { S3Listing } from "./s3-client.js";
import { S3Queue } from "./s3-queue.js";
import type { S3StoreParts } from "./s3-store-parts.js";
import type { TableRecord } from "./table-records.js";
import type {
  Change,
  ContentIds,
  RewrittenTable,
  SettledState,
  StoredTable,
  SyncedVersion,
  TableContent,
} from "./table-store.js";
import { tornFiles } from "./torn-files.js";
import { BUCKET_TURNS } from "./turns.js";
import { VerifiedCommits } from "./verified-commits.js";

/** Name of an object with removed rows of a fragment. It starts with the fragment's number. */
const DELETIONS = /^_deletions\/(\d+)-/;
/** LanceDB computes ages with its own clock. A time in the far future cleans up everything. */
const EVERYTHING = new Date(Date.UTC(2200, 0));

/**
 * A table in an object store. Its record names the last synced version. Earlier owners are fenced by restoring that
 * version and recording the result before anything is written.
 */
export class S3Table implements StoredTable {
  readonly location: string;
  readonly queue: S3Queue;
  readonly turns = BUCKET_TURNS;
  readonly #name: string;
  readonly #parts: S3StoreParts;
  #open: { readonly connection: Connection; readonly commits: VerifiedCommits } | undefined;

  constructor(name: string, parts: S3StoreParts) {
    this.#name = name;
    this.#parts = parts;
    this.location = parts.uri + name;
    this.queue = new S3Queue(name, { ...parts, prefix: parts.queuePrefix });
  }

  async open(connection: Connection, isSynced: boolean): Promise<Table | undefined> {
    const unchanged = isSynced ? await this.#openUnchanged(connection) : undefined;
    const table = unchanged ?? (await this.#claim(connection));
    if (table !== undefined) await this.#begin(connection, table);
    return table;
  }

  async view(connection: Connection): Promise<Table> {
    const { table } = await this.#record();
    return connection.openTable(table);
  }

  create(connection: Connection, schema: Schema, ids: ContentIds): Promise<Table> {
    return this.#create(connection, schema, () => ids);
  }

  async replace(connection: Connection, schema: Schema, ids: ContentIds): Promise<Table> {
    const table = await this.#create(connection, schema, (found) => ({
      ...ids,
      owner: found?.owner,
      queue: found?.queue,
    }));
    await this.#parts.remains.remove().catch((error: unknown) => {
      table.close();
      throw error;
    });
    return table;
  }

  commit<T>(_table: Table, change: Change<T>, addedCount: (result: T) => number): Promise<T> {
    return this.#opened.commits.run(change, addedCount);
  }

  read<T>(_table: Table, task: Change<T>): Promise<T> {
    return this.#opened.commits.read(task);
  }

  /** The record goes first, so no later owner uses the table any more. */
  async remove(): Promise<void> {
    const { records, remains } = this.#parts;
    await this.queue.remove();
    await records.update(this.#name, async (found) => {
      if (found !== undefined) remains.add(found.table);
      return undefined;
    });
    await remains.remove();
  }

  synced(): Promise<SyncedVersion | undefined> {
    return this.#parts.records.read(this.#name);
  }

  async settle(_table: Table, state: SettledState): Promise<void> {
    const { verified } = this.#opened.commits;
    await this.#replace((found) => ({
      ...found,
      ...state,
      ...verified,
      settledCount: found.settledCount + 1,
    }));
  }

  async sizeBytes(): Promise<number> {
    const { objects } = await this.#list();
    return objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  async fragmentsWithRemovedRows(): Promise<readonly number[]> {
    const keys = await this.#keys();
    return [...new Set(keys.flatMap((key) => DELETIONS.exec(key)?.[1] ?? []))].map(Number);
  }

  /** Incomplete files stay, because they may belong to a write of a later owner. */
  async cleanUp(table: Table): Promise<void> {
    await table.optimize({ cleanupOlderThan: EVERYTHING, deleteUnverified: false });
    await this.#parts.remains.remove();
  }

  async rewrite(table: Table): Promise<RewrittenTable | undefined> {
    // An upload that is completed before its abort is an orphan.
    await this.removeDrafts();
    if ((await this.orphans()).length === 0) return undefined;
    const { connection, commits } = this.#opened;
    const { ownership, remains } = this.#parts;
    await ownership.untilOwned();
    const copy = await connection.createEmptyTable(this.#newName(), await table.schema());
    await copyRows(table, copy, ownership);
    const { rowCount } = commits.verified;
    if ((await copy.countRows()) !== rowCount)
      throw storageUnreachable(new Error(`the copy of ${this.#name} does not have ${rowCount} rows`));
    const version = await copy.version();
    const former = await this.#replace((found) => ({ ...found, version, table: copy.name }));
    await this.#begin(connection, copy);
    const discard = (): Promise<void> => {
      remains.add(former.table);
      return remains.remove();
    };
    return { table: copy, discard };
  }

  /** Aborts uploads that a killed writer, or an earlier owner, has not completed. */
  async removeDrafts(): Promise<void> {
    await this.#parts.uploads.abort(await this.#root());
  }

  async orphans(): Promise<readonly string[]> {
    const { client } = this.#parts;
    const root = await this.#root();
    const keys = await this.#keys();
    const manifests: Buffer[] = [];
    for (const key of keys.filter((name) => name.endsWith(".manifest"))) {
      const manifest = await client.get(root + key);
      if (manifest !== undefined) manifests.push(manifest);
    }
    return tornFiles(keys, manifests).map((key) => root + key);
  }

  async content(): Promise<TableContent> {
    const { settledCount: version, rowCount = 0, contentId, keptContentId } = await this.#record();
    return { version, rowCount, contentId, keptContentId };
  }

  async owner(): Promise<string | undefined> {
    return (await this.#record()).owner;
  }

  async claim(folderId: string): Promise<void> {
    if ((await this.owner()) !== folderId) await this.#replace((found) => ({ ...found, owner: folderId }));
  }

  setAside(): Promise<string> {
    return Promise.reject(new TypeError(`${this.location} belongs to no other folder`));
  }

  get #opened() {
    if (this.#open === undefined) throw new TypeError(`the table ${this.#name} is not open`);
    return this.#open;
  }

  /** @param facts returns what the new record has in addition. */
  async #create(
    connection: Connection,
    schema: Schema,
    facts: (found: TableRecord | undefined) => Partial<TableRecord>,
  ): Promise<Table> {
    const { records, ownership, remains } = this.#parts;
    await ownership.untilOwned();
    const table = await connection.createEmptyTable(this.#newName(), schema);
    const empty = { version: await table.version(), rowCount: 0, purged: true, cleanBytes: 0 };
    await records.update(this.#name, async (found) => {
      if (found !== undefined) remains.add(found.table);
      return { settledCount: found?.settledCount ?? 0, ...empty, ...facts(found), table: table.name };
    });
    await this.#begin(connection, table);
    return table;
  }

  async #begin(connection: Connection, table: Table): Promise<void> {
    const commits = await VerifiedCommits.on(table, { ...this.#parts, name: this.#name });
    this.#open = { connection, commits };
  }

  #newName(): string {
    return `${this.#name}-${randomUUID()}`;
  }

  /** Opens a table that this owner has closed. Undefined if an earlier owner has added a version since. */
  async #openUnchanged(connection: Connection): Promise<Table | undefined> {
    await this.#parts.ownership.untilOwned();
    const record = await this.#record();
    const table = await connection.openTable(record.table);
    if ((await table.version()) === record.version) return table;
    table.close();
    return undefined;
  }

  /**
   * Takes the table away from earlier owners. Restoring the recorded version takes unsynced changes back, and
   * makes their later changes fail.
   */
  async #claim(connection: Connection): Promise<Table | undefined> {
    const { records, ownership } = this.#parts;
    const opened: Table[] = [];
    const closeAll = () => {
      for (const table of opened.splice(0)) table.close();
    };
    try {
      await records.update(this.#name, async (found) => {
        closeAll();
        if (found === undefined) return undefined;
        await ownership.untilOwned();
        const table = await connection.openTable(found.table);
        opened.push(table);
        await table.checkout(found.version);
        await ownership.untilOwned();
        await table.restore();
        return { ...found, version: await table.version() };
      });
    } catch (error) {
      closeAll();
      throw error;
    }
    return opened[0];
  }

  async #record(): Promise<TableRecord> {
    const record = await this.#parts.records.read(this.#name);
    if (record === undefined) throw new Error(`table ${this.#name} has no record`);
    return record;
  }

  /** Returns the former record. */
  async #replace(change: (found: TableRecord) => TableRecord): Promise<TableRecord> {
    const replaced: TableRecord[] = [];
    await this.#parts.records.update(this.#name, async (found) => {
      if (found === undefined) throw new Error(`table ${this.#name} has no record`);
      replaced.splice(0, 1, found);
      return change(found);
    });
    return replaced[0]!;
  }

  /** Returns the beginning of the keys of its objects. */
  async #root(): Promise<string> {
    return `${this.#parts.prefix}${(await this.#record()).table}.lance/`;
  }

  async #list(): Promise<S3Listing> {
    return this.#parts.client.list(await this.#root());
  }

  /** Returns the keys of its objects, after the table's prefix. */
  async #keys(): Promise<string[]> {
    const root = await this.#root();
    return (await this.#list()).objects.map(({ key }) => key.slice(root.length));
  }
}
