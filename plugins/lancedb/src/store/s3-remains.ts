import type { S3Client } from "./s3-client.js";
import type { S3Uploads } from "./s3-uploads.js";
import type { TableRecords } from "./table-records.js";

export interface S3RemainsContext {
  readonly client: S3Client;
  readonly uploads: S3Uploads;
  readonly records: TableRecords;
  /** Beginning of the keys of all tables. */
  readonly prefix: string;
  readonly queuePrefix: string;
}

/** Tables without a record, and queues that no record names. Their objects and uploads are to be deleted. */
export class S3Remains {
  readonly #context: S3RemainsContext;
  /** Beginnings of keys. */
  readonly #prefixes = new Set<string>();

  constructor(context: S3RemainsContext) {
    this.#context = context;
  }

  /** Adds a table that no record names any more. */
  add(table: string): void {
    this.#prefixes.add(`${this.#context.prefix}${table}.lance/`);
  }

  /**
   * Finds the remains of killed and of earlier owners. Nothing may be created concurrently. The objects and
   * uploads are listed before the records, while this process owns both, so every table that a later owner creates is spared.
   */
  async find(): Promise<void> {
    const { client, uploads, records, prefix, queuePrefix } = this.#context;
    const { prefixes } = await client.list(prefix, "/");
    const begun = await uploads.list(prefix);
    const queues = await client.list(queuePrefix);
    const recorded = [...(await records.list()).values()];
    const used = new Set(
      recorded.flatMap(({ table, queue }) => [`${prefix}${table}.lance/`, queue ?? queuePrefix]),
    );
    const folderOf = (key: string) => key.slice(0, key.indexOf("/", prefix.length) + 1) || key;
    const found = [
      ...prefixes,
      ...begun.map(({ key }) => folderOf(key)),
      ...queues.objects.map(({ key }) => key),
    ];
    for (const each of found) if (!used.has(each) && each !== queuePrefix) this.#prefixes.add(each);
  }

  /** Deletes the remains. Uploads go first, because one that is completed in between is an object. */
  async remove(): Promise<void> {
    const { client, uploads } = this.#context;
    for (const prefix of this.#prefixes) {
      await uploads.abort(prefix);
      const { objects } = await client.list(prefix);
      await client.delete(objects.map(({ key }) => key));
      this.#prefixes.delete(prefix);
    }
  }
}
