import { systemClock } from "@membus/protocol";
import { TableBucket, type TableBucketOptions } from "../../src/s3.js";
import { FakeS3 } from "./fake-s3.js";
import { OwnedTables } from "./owned-tables.js";

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

/** Tables in a bucket of a server in this process. */
export class S3Fixture extends OwnedTables {
  readonly s3: FakeS3;

  private constructor(s3: FakeS3, bucket: TableBucket) {
    super(bucket);
    this.s3 = s3;
  }

  static async open(): Promise<S3Fixture> {
    const s3 = await FakeS3.start();
    return new S3Fixture(s3, TableBucket.connect(bucketOptions(s3), systemClock));
  }

  /** Keys of all manifests of tables. */
  get manifests(): string[] {
    return this.s3.store.keys.filter((key) => key.endsWith(".manifest"));
  }

  /** Returns the keys of objects, and of unfinished uploads, that contain a text. */
  keysWith(text: string): string[] {
    const { store } = this.s3;
    const uploads = store.uploads.filter(({ parts }) => Buffer.concat([...parts.values()]).includes(text));
    const objects = store.keys.filter((key) => store.get(key)!.body.includes(text));
    return [...objects, ...uploads.map(({ key }) => key)];
  }

  override async close(): Promise<void> {
    this.s3.heal();
    await super.close();
    await this.s3.stop();
  }
}
