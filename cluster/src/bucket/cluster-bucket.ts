import { type JetStreamClient, type JetStreamManager, jetstream, type StreamInfo } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { apiError, isFull, isMissingStream, isRefused, isTemporary, storeError } from "./store-error.js";
import { WriteStall, type WriteStallParts } from "./write-stall.js";

export interface BucketOptions {
  /** Name of the bucket. */
  readonly name: string;
  /** Time limit of a request. */
  readonly requestTimeoutMs: number;
  /** Where to report that no write is answered. Nowhere without it. */
  readonly report?: WriteStallParts | undefined;
}

/** Last write of a key. */
export interface BucketEntry {
  readonly key: string;
  /** Undefined if an operator has deleted the value. */
  readonly value: Uint8Array | undefined;
  readonly revision: number;
  /** Unix seconds of the server's clock. */
  readonly writtenAt: number;
}

/**
 * Key-value bucket of a cluster. Reads are answered by the leader of its stream. Every write names the revision
 * that it replaces.
 *
 * All methods throw `unavailable` if it is unknown whether a write was done, or if the servers cannot answer.
 */
export class ClusterBucket {
  readonly #js: JetStreamClient;
  readonly #streams: JetStreamManager["streams"];
  readonly #stream: string;
  readonly #subjectPrefix: string;
  readonly #requestTimeoutMs: number;
  readonly #stall: WriteStall | undefined;
  #isLooking = false;

  private constructor(
    js: JetStreamClient,
    { streams }: JetStreamManager,
    { name, requestTimeoutMs, report }: BucketOptions,
  ) {
    this.#js = js;
    this.#streams = streams;
    this.#stream = `KV_${name}`;
    this.#subjectPrefix = `$KV.${name}.`;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#stall = report && new WriteStall(report);
  }

  /** Opens a bucket without a request to the server. */
  static async open(connection: NatsConnection, options: BucketOptions): Promise<ClusterBucket> {
    const js = jetstream(connection, { timeout: options.requestTimeoutMs });
    return new ClusterBucket(js, await js.jetstreamManager(false), options);
  }

  /** Returns the state and the settings of its stream. Undefined if the bucket does not exist. */
  async info(): Promise<StreamInfo | undefined> {
    try {
      return await this.#streams.info(this.#stream);
    } catch (error) {
      if (isMissingStream(error)) return undefined;
      throw apiError(error);
    }
  }

  async get(key: string): Promise<BucketEntry | undefined> {
    return this.#message({ last_by_subj: this.#subjectPrefix + key });
  }

  /**
   * Returns the entry with the lowest revision above `after` among the keys that match `filter`, a subject with
   * wildcards.
   */
  async next(filter: string, after: number): Promise<BucketEntry | undefined> {
    return this.#message({ next_by_subj: this.#subjectPrefix + filter, seq: after + 1 });
  }

  /**
   * Replaces the value with this revision. 0 creates the key.
   * @returns the new revision, or undefined if the key has another revision.
   */
  async write(key: string, value: string, revision: number): Promise<number | undefined> {
    const expect = { lastSubjectSequence: revision };
    try {
      const timeout = this.#requestTimeoutMs;
      const { seq } = await this.#js.publish(this.#subjectPrefix + key, value, { expect, timeout });
      this.#stall?.end(this.#stream);
      return seq;
    } catch (error) {
      if (isRefused(error)) return undefined;
      const known = storeError(error);
      if (isTemporary(known) && !isFull(error)) void this.#noteFailure(known);
      throw known;
    }
  }

  /** Removes a key without a trace, unless it has a later revision. */
  async remove(key: string, revision: number): Promise<void> {
    const upTo = { filter: this.#subjectPrefix + key, seq: revision + 1 };
    await this.#streams.purge(this.#stream, upTo).catch((error: unknown) => {
      throw storeError(error);
    });
  }

  /** Looks at the stream in the background, because a lease cannot wait for it. */
  async #noteFailure(cause: Error): Promise<void> {
    if (this.#stall === undefined || this.#isLooking) return;
    this.#isLooking = true;
    const info = await this.info().then(
      (found) => found ?? "missing",
      () => undefined,
    );
    this.#isLooking = false;
    this.#stall.failed(this.#stream, cause, info);
  }

  async #message(
    query: { readonly last_by_subj: string } | { readonly next_by_subj: string; readonly seq: number },
  ): Promise<BucketEntry | undefined> {
    try {
      const found = await this.#streams.getMessage(this.#stream, query);
      if (found === null) return undefined;
      const isDeleted = found.header.get("KV-Operation") !== "";
      const key = found.subject.slice(this.#subjectPrefix.length);
      return {
        key,
        value: isDeleted ? undefined : found.data,
        revision: found.seq,
        writtenAt: found.time.getTime() / 1_000,
      };
    } catch (error) {
      throw storeError(error);
    }
  }
}
