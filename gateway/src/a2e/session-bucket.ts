import type { SessionStore, StoredSession } from "./session-store.js";

interface BucketValue {
  readonly value: Uint8Array;
  readonly revision: number;
}

/** A bucket of JetStream's key-value store that deletes a value `sessionIdleS` after it was written. */
export interface KeyValueBucket {
  get(key: string): Promise<BucketValue | undefined>;
  put(key: string, value: Uint8Array): Promise<void>;
  /** Returns false if the value has a newer revision. */
  replace(key: string, value: BucketValue): Promise<boolean>;
  remove(key: string): Promise<void>;
  count(): Promise<number>;
}

/** Stores each session as a value. Gateways on several machines share the bucket. */
export class SessionBucket implements SessionStore {
  readonly #bucket: KeyValueBucket;

  constructor(bucket: KeyValueBucket) {
    this.#bucket = bucket;
  }

  async open(): Promise<void> {}

  async read(digest: string): Promise<StoredSession | undefined> {
    const found = await this.#bucket.get(digest);
    return found && (JSON.parse(Buffer.from(found.value).toString()) as StoredSession);
  }

  async write(digest: string, session: StoredSession): Promise<void> {
    await this.#bucket.put(digest, Buffer.from(JSON.stringify(session)));
  }

  async renew(digest: string): Promise<void> {
    const found = await this.#bucket.get(digest);
    // A plain write would restore a session that has ended. A session that was changed stays as it is.
    if (found !== undefined) await this.#bucket.replace(digest, found);
  }

  async remove(digest: string): Promise<void> {
    await this.#bucket.remove(digest);
  }

  /** Does nothing, because the bucket deletes idle sessions. */
  sweep(): Promise<number> {
    return this.#bucket.count();
  }
}
