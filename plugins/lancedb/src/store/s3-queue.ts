import { randomUUID } from "node:crypto";
import type { Logger } from "@membus/protocol/plugin";
import { TableChanges } from "../table/table-changes.js";
import type { S3Client } from "./s3-client.js";
import type { TableRecords } from "./table-records.js";
import type { ChangeQueue } from "./table-store.js";

export interface S3QueueContext {
  readonly client: S3Client;
  readonly records: TableRecords;
  /** Beginning of the keys of all queues. */
  readonly prefix: string;
  readonly logger: Logger;
}

/** Changes of a table in an object that its record names. Each write makes another object. */
export class S3Queue implements ChangeQueue {
  readonly #name: string;
  readonly #context: S3QueueContext;

  constructor(name: string, context: S3QueueContext) {
    this.#name = name;
    this.#context = context;
  }

  async read(): Promise<TableChanges> {
    const { client, records, logger } = this.#context;
    const key = (await records.read(this.#name))?.queue;
    const bytes = key === undefined ? undefined : await client.get(key);
    try {
      return bytes === undefined ? new TableChanges() : TableChanges.decode(bytes);
    } catch (error) {
      logger.error({ err: error, key }, "lost the queued changes of a table, their object is corrupt");
      return new TableChanges();
    }
  }

  async write(changes: TableChanges): Promise<void> {
    const { client, prefix } = this.#context;
    const key = `${prefix}${this.#name}-${randomUUID()}`;
    await client.put(key, new Uint8Array(changes.encode()));
    await this.#replace(key);
  }

  remove(): Promise<void> {
    return this.#replace(undefined);
  }

  async #replace(queue: string | undefined): Promise<void> {
    const { client, records } = this.#context;
    const former: string[] = [];
    await records.update(this.#name, async (found) => {
      if (found === undefined && queue !== undefined)
        throw new Error(`table ${this.#name} has no record to queue changes in`);
      former.splice(0, former.length, ...(found?.queue === undefined ? [] : [found.queue]));
      return found && { ...found, queue };
    });
    await client.delete(former);
  }
}
