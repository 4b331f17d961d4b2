import type { S3Client } from "./s3-client.js";
import type { TableRecords } from "./table-records.js";

export interface S3RemainsContext {
  readonly client: S3Client;
  readonly records: TableRecords;
  /** Beginning of the keys of all tables. */
  readonly prefix: string;
  readonly queuePrefix: string;
}

/** Tables without a record, and queues that no record names. Their objects are to be deleted. */
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
   * Finds the remains of killed and of earlier owners. Nothing may be created concurrently. The objects are listed
   * before the records, while this process owns both, so every table that a later owner creates is spared.
   */
  async find(): Promise<void> {
    const { client, records, prefix, queuePrefix } = this.#context;
    const { prefixes } = await client.list(prefix, "/");
    const queues = await client.list(queuePrefix);
    const recorded = [...(await records.list()).values()];
    const used = new Set(
      recorded.flatMap(({ table, queue }) => [`${prefix}${table}.lance/`, queue ?? queuePrefix]),
    );
    const found = [...prefixes, ...queues.objects.map(({ key }) => key)];
    for (const each of found) if (!used.has(each) && each !== queuePrefix) this.#prefixes.add(each);
  }

  /** Deletes the remains. */
  async remove(): Promise<void> {
    for (const prefix of this.#prefixes) {
      const { objects } = await this.#context.client.list(prefix);
      await this.#context.client.delete(objects.map(({ key }) => key));
      this.#prefixes.delete(prefix);
    }
  }
}
