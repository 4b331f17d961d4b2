import { MemoryError } from "@membus/protocol";
import { JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { type KV, Kvm, type KvStatus } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { fromNatsError } from "./nats-errors.js";

export interface BucketOptions {
  /** 1..128 of A-Z a-z 0-9 _ -. */
  readonly name: string;
  /** How long a value is kept after it was written. Seconds. */
  readonly ttlS: number;
}

/** A value, and the revision that tells it from those before and after. */
export interface BucketValue {
  readonly value: Uint8Array;
  readonly revision: number;
}

const NAME = /^[\w-]{1,128}$/;
const WRONG_LAST_SEQUENCE = new Set([10071, 10164]);
const MILLISECONDS = 1_000;
/** The second is told where nobody answers requests of JetStream. */
const OF_JETSTREAM = /^(JetStream.*|NoResponders)$/;

/** A bucket of JetStream's key-value store. Keys are tokens of a subject. Whoever reads has what was written before. */
export class NatsBucket {
  readonly #values: KV;
  readonly #streams: JetStreamManager["streams"];
  readonly #stream: string;
  readonly #subjectPrefix: string;

  private constructor(values: KV, streams: JetStreamManager["streams"], name: string) {
    this.#values = values;
    this.#streams = streams;
    this.#stream = `KV_${name}`;
    this.#subjectPrefix = `$KV.${name}.`;
  }

  /**
   * Opens it, and makes it where it is not there.
   * @throws {MemoryError} `unavailable` without JetStream, `unauthorized` where the server refuses it.
   * @throws {TypeError} for a wrong name, and for a bucket that keeps its values for another time, or former ones.
   */
  static async open(connection: NatsConnection, { name, ttlS }: BucketOptions): Promise<NatsBucket> {
    if (!NAME.test(name))
      throw new TypeError(`a bucket's name is 1..128 of A-Z a-z 0-9 _ -, not \`${name}\``);
    return asked(async () => {
      const { streams } = await jetstreamManager(connection);
      // Values are read from the leader: what another connection wrote a moment ago must be found.
      const options = { ttl: ttlS * MILLISECONDS, history: 1, allow_direct: false };
      const values = await new Kvm(connection).create(name, options);
      requireSame(name, await values.status(), ttlS);
      return new NatsBucket(values, streams, name);
    });
  }

  async get(key: string): Promise<BucketValue | undefined> {
    const entry = await asked(() => this.#values.get(key));
    return entry?.operation === "PUT" ? { value: entry.value, revision: entry.revision } : undefined;
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    await asked(() => this.#values.put(key, value));
  }

  /** Writes it where its latest revision is still this one; false where it is not. */
  async replace(key: string, { value, revision }: BucketValue): Promise<boolean> {
    try {
      await asked(() => this.#values.update(key, value, revision));
      return true;
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(cause.code)) return false;
      throw error;
    }
  }

  /** Without a marker in its place, which would be counted until its time is over. */
  async remove(key: string): Promise<void> {
    await asked(() => this.#streams.purge(this.#stream, { filter: this.#subjectPrefix + key }));
  }

  async count(): Promise<number> {
    const { state } = await asked(() => this.#streams.info(this.#stream));
    return state.messages;
  }
}

/** A bucket that was there is used as it is. One with former values would count these, too. */
function requireSame(name: string, { ttl, history }: KvStatus, ttlS: number): void {
  if (ttl !== ttlS * MILLISECONDS)
    throw new TypeError(`the bucket \`${name}\` keeps its values for ${ttl / MILLISECONDS} s, not ${ttlS} s`);
  if (history !== 1) throw new TypeError(`the bucket \`${name}\` keeps ${history} values of a key, not 1`);
}

/** Runs it, its errors as those of the bus. */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fromJetStreamError(error as Error);
  }
}

function fromJetStreamError(error: Error): Error {
  if (error instanceof TypeError) return error;
  const cause = error.name === "RequestError" ? (error.cause as Error) : error;
  if (OF_JETSTREAM.test(cause.name)) {
    return new MemoryError("unavailable", `JetStream: ${cause.message}`, {}, { cause });
  }
  return fromNatsError(cause);
}
