import type { SessionStore, StoredSession } from "./session-store.js";

interface BucketValue {
  readonly value: Uint8Array;
  readonly revision: number;
}

/** A bucket of JetStream's key-value store that forgets a value `sessionIdleS` after it was written. */
export interface KeyValueBucket {
  get(key: string): Promise<BucketValue | undefined>;
  put(key: string, value: Uint8Array): Promise<void>;
  /** False where the value's latest revision is no longer this one. */
  replace(key: string, value: BucketValue): Promise<boolean>;
  remove(key: string): Promise<void>;
  count(): Promise<number>;
}

/** A value a session: gateways on several machines share them, and they are as durable as the bucket. */
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
    // One that was changed or ended meanwhile stays as it is: a plain write would bring it back.
    if (found !== undefined) await this.#bucket.replace(digest, found);
  }

  async remove(digest: string): Promise<void> {
    await this.#bucket.remove(digest);
  }

  /** The bucket forgets by itself. */
  sweep(): Promise<number> {
    return this.#bucket.count();
  }
}
