import { MemoryError } from "@membus/protocol";
import { JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { type KV, Kvm, type KvStatus } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { fromNatsError } from "./nats-errors.js";

export interface BucketOptions {
  /** Bucket name: 1..128 of A-Z a-z 0-9 _ -. */
  readonly name: string;
  /** Lifetime of a value after its write, in seconds. */
  readonly ttlS: number;
}

/** Value with its revision. */
export interface BucketValue {
  readonly value: Uint8Array;
  readonly revision: number;
}

const NAME = /^[\w-]{1,128}$/;
const WRONG_LAST_SEQUENCE = new Set([10071, 10164]);
const MILLISECONDS = 1_000;
/** Names of JetStream errors. `NoResponders` means that JetStream is disabled. */
const JETSTREAM_ERROR = /^(JetStream.*|NoResponders)$/;

/** Bucket of JetStream's key-value store. Keys are subject tokens. Reads return the latest write. */
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
   * Opens a bucket and creates it if it does not exist.
   *
   * @throws {MemoryError} `unavailable` without JetStream, `unauthorized` if the server refuses access.
   * @throws {TypeError} for an invalid name, and for an existing bucket with another lifetime or with a
   * history.
   */
  static async open(connection: NatsConnection, { name, ttlS }: BucketOptions): Promise<NatsBucket> {
    if (!NAME.test(name))
      throw new TypeError(`invalid bucket name \`${name}\`: use 1..128 of A-Z a-z 0-9 _ -`);
    return withBusErrors(async () => {
      const { streams } = await jetstreamManager(connection);
      // Reads go to the leader, so that they see recent writes of other connections.
      const options = { ttl: ttlS * MILLISECONDS, history: 1, allow_direct: false };
      const values = await new Kvm(connection).create(name, options);
      requireSameConfig(name, await values.status(), ttlS);
      return new NatsBucket(values, streams, name);
    });
  }

  async get(key: string): Promise<BucketValue | undefined> {
    const entry = await withBusErrors(() => this.#values.get(key));
    return entry?.operation === "PUT" ? { value: entry.value, revision: entry.revision } : undefined;
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    await withBusErrors(() => this.#values.put(key, value));
  }

  /** Writes a value if its latest revision is unchanged. Returns false otherwise. */
  async replace(key: string, { value, revision }: BucketValue): Promise<boolean> {
    try {
      await withBusErrors(() => this.#values.update(key, value, revision));
      return true;
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(cause.code)) return false;
      throw error;
    }
  }

  /** Removes a value without a delete marker, which would be counted until it expires. */
  async remove(key: string): Promise<void> {
    await withBusErrors(() => this.#streams.purge(this.#stream, { filter: this.#subjectPrefix + key }));
  }

  async count(): Promise<number> {
    const { state } = await withBusErrors(() => this.#streams.info(this.#stream));
    return state.messages;
  }
}

/** Rejects an existing bucket with another configuration. `count` would include values of its history. */
function requireSameConfig(name: string, { ttl, history }: KvStatus, ttlS: number): void {
  if (ttl !== ttlS * MILLISECONDS)
    throw new TypeError(`bucket \`${name}\` has a lifetime of ${ttl / MILLISECONDS} s, expected ${ttlS} s`);
  if (history !== 1) throw new TypeError(`bucket \`${name}\` keeps ${history} values per key, expected 1`);
}

/** Runs `work` and converts its errors to errors of the bus. */
async function withBusErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fromJetStreamError(error as Error);
  }
}

function fromJetStreamError(error: Error): Error {
  if (error instanceof TypeError) return error;
  const cause = error.name === "RequestError" ? (error.cause as Error) : error;
  if (JETSTREAM_ERROR.test(cause.name)) {
    return new MemoryError("unavailable", `JetStream: ${cause.message}`, {}, { cause });
  }
  return fromNatsError(cause);
}
