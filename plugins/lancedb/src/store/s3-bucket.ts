import { type Clock, parseOptions } from "@membus/protocol";
import { checkBucket } from "./s3-check.js";
import {
  type ResolvedTableBucketOptions,
  type TableBucketOptions,
  TableBucketOptionsSchema,
} from "./s3-options.js";
import { S3Store } from "./s3-store.js";
import type { S3StoreContext } from "./s3-store-parts.js";
import type { TableStore } from "./table-store.js";

/** A bucket that was found suitable for tables. */
export class TableBucket {
  readonly #options: ResolvedTableBucketOptions;

  private constructor(options: ResolvedTableBucketOptions) {
    this.#options = options;
  }

  /**
   * @throws {TypeError} for an unknown option or a value out of range.
   * @throws {MemoryError} `runtime_error` for a bucket that is not suitable, `unavailable` if it does not answer.
   */
  static async open(options: TableBucketOptions, clock: Clock): Promise<TableBucket> {
    const resolved = parseOptions(TableBucketOptionsSchema, options);
    await checkBucket(resolved, clock);
    return new TableBucket(resolved);
  }

  /** Returns the tables of a manifest. */
  store(context: S3StoreContext): TableStore {
    return new S3Store(this.#options, context);
  }
}
