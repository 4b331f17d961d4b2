import type { Storage } from "@membus/plugin-kit";
import { silentLogger, systemClock } from "@membus/protocol";
import { createLanceStorage, type LanceStorageOptions } from "../../src/index.js";
import { TableBucket, type TableBucketOptions } from "../../src/s3.js";
import { DIMENSIONS } from "../storage-fixture.js";
import { FakeS3 } from "./fake-s3.js";
import { SharedRecords, TestOwner } from "./test-owner.js";

/** Options of a bucket. Its requests are repeated once. */
export function bucketOptions(s3: FakeS3): TableBucketOptions {
  const { endpoint, access_key_id, secret_access_key } = s3.storageOptions;
  return {
    ...{
      bucket: "bucket",
      prefix: "tables",
      endpoint: endpoint!,
      attemptCountMax: 2,
      requestTimeoutMs: 5_000,
    },
    ...{ accessKeyId: access_key_id!, secretAccessKey: secret_access_key! },
  };
}

/** Tables of one owner. */
export interface Owned {
  readonly storage: Storage;
  readonly owner: TestOwner;
}

/** A bucket, and storages of successive owners. */
export class S3Fixture {
  readonly s3: FakeS3;
  readonly bucket: TableBucket;
  readonly #storages = new Set<Storage>();
  readonly #records = new Map<string, SharedRecords>();
  #epoch = 0;

  private constructor(s3: FakeS3, bucket: TableBucket) {
    this.s3 = s3;
    this.bucket = bucket;
  }

  static async open(): Promise<S3Fixture> {
    const s3 = await FakeS3.start();
    return new S3Fixture(s3, await TableBucket.open(bucketOptions(s3), systemClock));
  }

  /** Takes the tables of a manifest over and opens them. The former owner is not told. */
  async takeOver(id = "manifest", options: LanceStorageOptions = {}): Promise<Owned> {
    const shared = this.#records.get(id) ?? new SharedRecords();
    this.#records.set(id, shared);
    const owner = new TestOwner(shared, ++this.#epoch);
    const services = { clock: systemClock, logger: silentLogger };
    const store = this.bucket.store({ id, records: owner, ownership: owner, ...services });
    const place = { directory: "unused", dimensions: DIMENSIONS, embedder: "static", ...services, store };
    const storage = createLanceStorage(place, options);
    await storage.open();
    this.#storages.add(storage);
    return { storage, owner };
  }

  /** Keys of all manifests of tables. */
  get manifests(): string[] {
    return this.s3.store.keys.filter((key) => key.endsWith(".manifest"));
  }

  /** Returns the keys of objects that contain a text. */
  keysWith(text: string): string[] {
    const { store } = this.s3;
    return store.keys.filter((key) => store.get(key)!.body.includes(text));
  }

  async close(): Promise<void> {
    this.s3.heal();
    for (const storage of this.#storages) await storage.close().catch(() => undefined);
    await this.s3.stop();
  }
}
