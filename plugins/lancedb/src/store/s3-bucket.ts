import { type Clock, parseOptions } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { answered, checkBucket, explained, placeOf } from "./s3-check.js";
import { S3Client, type S3Refusal } from "./s3-client.js";
import {
  type ResolvedTableBucketOptions,
  type TableBucketOptions,
  TableBucketOptionsSchema,
} from "./s3-options.js";
import { S3Store } from "./s3-store.js";
import type { S3StoreContext } from "./s3-store-parts.js";
import type { TableStore } from "./table-store.js";

const KEEPS_UPLOADS =
  "the object store does not list or abort unfinished uploads, so uploads of killed hosts may keep forgotten bytes: allow ListBucketMultipartUploads and AbortMultipartUpload, and let the bucket abort incomplete uploads";

/** A bucket for tables. `check` finds out whether it is suitable. */
export class TableBucket {
  readonly #options: ResolvedTableBucketOptions;
  readonly #clock: Clock;
  readonly #client: S3Client;
  #hasWarned = false;

  private constructor(options: ResolvedTableBucketOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#client = new S3Client(options, clock, () => Promise.resolve());
  }

  /**
   * Connects to a bucket. Sends nothing.
   * @throws {TypeError} for an unknown option or a value out of range.
   */
  static connect(options: TableBucketOptions, clock: Clock): TableBucket {
    return new TableBucket(parseOptions(TableBucketOptionsSchema, options), clock);
  }

  /**
   * Checks the bucket with objects that it writes and deletes.
   * @throws {MemoryError} `runtime_error` for a bucket that is not suitable, `unavailable` if it does not answer.
   */
  check(): Promise<void> {
    return answered(this.#options, () => checkBucket(this.#options, this.#clock));
  }

  /** Returns the id of the owner of the prefix. Undefined if it has none. Writes nothing. Errors as in `check`. */
  async owner(): Promise<string | undefined> {
    const message = `the owner of ${placeOf(this.#options)} cannot be read: allow GetObject and ListBucket to these credentials`;
    const owner = await answered(this.#options, () =>
      explained(() => this.#client.get(this.#ownerKey), message),
    );
    return owner?.toString();
  }

  /** Gives the prefix to an owner. @returns false if it belongs to another one. Errors as in `S3Client`. */
  async claim(id: string): Promise<boolean> {
    return (await this.#client.create(this.#ownerKey, id)) || (await this.owner()) === id;
  }

  get #ownerKey(): string {
    return `${this.#options.prefix}/_owner`;
  }

  /** Returns the tables of a manifest. */
  store(context: S3StoreContext): TableStore {
    return new S3Store(this.#options, context, (refusal) => this.#warnOnce(context.logger, refusal));
  }

  #warnOnce(logger: Logger, refusal: S3Refusal): void {
    if (!this.#hasWarned) logger.warn({ err: refusal }, KEEPS_UPLOADS);
    this.#hasWarned = true;
  }
}
