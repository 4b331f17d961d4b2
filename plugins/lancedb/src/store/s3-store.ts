import type { Connection, Session } from "@lancedb/lancedb";
import { storageUnreachable } from "@membus/plugin-kit";
import { isMemoryError } from "@membus/protocol";
import { lancedb } from "../lancedb.js";
import { S3Client, type S3Refusal } from "./s3-client.js";
import { lanceOptions, type ResolvedTableBucketOptions } from "./s3-options.js";
import { S3Remains } from "./s3-remains.js";
import type { S3StoreContext, S3StoreParts } from "./s3-store-parts.js";
import { S3Table } from "./s3-table.js";
import { S3Uploads } from "./s3-uploads.js";
import type { StoredNames, TableStore } from "./table-store.js";

/** Tables in a bucket that one process at a time owns. */
export class S3Store implements TableStore {
  readonly remedy = "restore the objects of the table, or run `membus cluster accept-loss`";
  readonly #options: ResolvedTableBucketOptions;
  readonly #parts: S3StoreParts;
  #repairCount = 0;

  /** @param onRefusal is called each time that the store does not list or abort unfinished uploads. */
  constructor(
    options: ResolvedTableBucketOptions,
    context: S3StoreContext,
    onRefusal: (refusal: S3Refusal) => void,
  ) {
    this.#options = options;
    const { id, records, ownership, clock } = context;
    const prefix = `${options.prefix}/${id}/`;
    const queuePrefix = `${prefix}_waiting/`;
    const client = new S3Client(options, clock, () => ownership.untilOwned());
    const uploads = new S3Uploads(client, onRefusal);
    const remains = new S3Remains({ client, uploads, records, prefix, queuePrefix });
    const uri = `s3://${options.bucket}/${prefix}`;
    const onRepair = () => void this.#repairCount++;
    this.#parts = { ...context, client, uploads, remains, uri, prefix, queuePrefix, onRepair };
  }

  get repairCount(): number {
    return this.#repairCount;
  }

  async open(session: Session): Promise<Connection> {
    const { remains } = this.#parts;
    await remains.find();
    await remains.remove();
    return this.#connect({}, session);
  }

  view(): Promise<Connection> {
    return this.#connect({ readConsistencyInterval: 0 });
  }

  async list(): Promise<StoredNames> {
    return { tables: [...(await this.#parts.records.list()).keys()], queued: [] };
  }

  /** LanceDB takes every 404 for a missing object, also if the bucket or the user is missing. */
  async obstacle(): Promise<Error | undefined> {
    try {
      await this.#parts.client.list(`${this.#parts.prefix}_none/`);
      return undefined;
    } catch (error) {
      return isMemoryError(error) ? error : storageUnreachable(error);
    }
  }

  table(name: string): S3Table {
    return new S3Table(name, this.#parts);
  }

  #connect(options: { readonly readConsistencyInterval?: number }, session?: Session): Promise<Connection> {
    const storageOptions = lanceOptions(this.#options);
    return lancedb().connect(this.#parts.uri, { ...options, storageOptions }, session);
  }
}
