import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { S3Client } from "./s3-client.js";
import type { S3Remains } from "./s3-remains.js";
import type { S3Uploads } from "./s3-uploads.js";
import type { TableOwnership, TableRecords } from "./table-records.js";

export interface S3StoreContext {
  /** Id of the manifest that the tables belong to. Tables of another manifest are never found. */
  readonly id: string;
  readonly records: TableRecords;
  readonly ownership: TableOwnership;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Services that the tables of a store share. */
export interface S3StoreParts extends S3StoreContext {
  readonly client: S3Client;
  readonly uploads: S3Uploads;
  readonly remains: S3Remains;
  readonly uri: string;
  /** Beginning of the keys of all tables. */
  readonly prefix: string;
  readonly queuePrefix: string;
  /** Called after a table was restored that had rows of another owner, or of a failed commit. */
  onRepair(): void;
}
