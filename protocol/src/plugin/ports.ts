/** Ports of membus: interfaces of a transport, an embedder, a reranker and a logger. Types only. */

export type HeaderMap = Readonly<Record<string, string>>;

export interface BusMessage {
  readonly subject: string;
  /** Subject that the sender expects the reply on. Absent if it expects no reply. */
  readonly reply?: string;
  /** Headers by name as sent, with the first value of each. Names are case-sensitive. */
  readonly headers: HeaderMap;
  readonly payload: Uint8Array;
  /**
   * Publishes the reply on the connection that received the message, because the server may allow it only there.
   * Absent: publish it on the bus.
   */
  respond?(payload: Uint8Array, headers: HeaderMap): void;
  /** True if an intake thread has refused other messages of the sender while this one waited. */
  readonly isOverflowing?: boolean;
}

export interface BusSubscription {
  /** True once the server has refused the subscription, or `drain` was called. */
  readonly isClosed: boolean;
  /**
   * Stops delivery after the messages that have already arrived. Resolves when the last callback has
   * returned.
   */
  drain(): Promise<void>;
}

/**
 * Protects a subscription from floods. If its messages arrive faster than `onMessage` returns, they wait in one
 * queue per sender, and the senders take turns. A message for which there is no space is refused. Only a NATS
 * bus with an intake thread does this. Other buses ignore it.
 */
export interface Intake {
  /** Number of leading tokens of a subject that name its sender. The same for all subscriptions of a bus. */
  readonly senderTokens: number;
  /** Receives the first 1,024 bytes of a refused message, and its size. At most 64 per batch of messages. */
  onRefused(message: BusMessage, bytes: number): void;
  /** Receives the number of refused messages that are not passed to `onRefused`. */
  onDropped(count: number): void;
}

export type BusState = "connected" | "disconnected" | "closed";

/**
 * Message bus with subjects: NATS, or an equivalent in the same process. Failures are `MemoryError`:
 * `unavailable` (no responders, or no connection), `timeout`, `too_large` (over `maxPayloadBytes`),
 * `unauthorized` (the server refuses the subject).
 */
export interface Bus {
  /** Maximum size of a message with its headers, in bytes. May change while connected (server reload). */
  readonly maxPayloadBytes: number;
  /** Subject prefix of replies to this connection's requests, without the dot that follows it. */
  readonly inboxPrefix: string;
  readonly state: BusState;
  publish(subject: string, payload: Uint8Array, options?: { headers?: HeaderMap; reply?: string }): void;
  /**
   * Subscribes to a subject. If `onMessage` throws or rejects, the bus logs the error and continues delivery.
   */
  subscribe(
    subject: string,
    onMessage: (message: BusMessage) => void | Promise<void>,
    options?: { queue?: string; intake?: Intake },
  ): BusSubscription;
  request(
    subject: string,
    payload: Uint8Array,
    options: { timeoutMs: number; headers?: HeaderMap },
  ): Promise<BusMessage>;
  /** Returns every reply that arrives within `waitMs`. Empty if there are no responders. */
  requestMany(subject: string, payload: Uint8Array, options: { waitMs: number }): Promise<BusMessage[]>;
  onState(listener: (state: BusState) => void): () => void;
  /** Resolves when all messages published so far have reached the server. */
  flush(): Promise<void>;
  /** Drains and closes the connection. */
  close(): Promise<void>;
}

export type EmbedKind = "document" | "query";

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  /**
   * Owner of the texts. A cached vector is returned only for the same `cacheScope`, so that response times do
   * not reveal the texts of other owners. Without it, vectors are not cached.
   */
  readonly cacheScope?: string;
}

export interface Embedder {
  /** Identifies model and parameters. Vectors of different ids are never compared. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * Returns one unit vector per text, in order. Null for a text without a vector (all tokens unknown).
   *
   * @throws {MemoryError} `unavailable` if the provider does not answer. `too_large` for a text that is too
   * long. `schema_violation` for a text that the provider refuses for another reason. Texts with the last
   * two errors are not retried.
   */
  embed(texts: readonly string[], kind: EmbedKind, options?: EmbedOptions): Promise<(Float32Array | null)[]>;
  /**
   * Returns the mean cosine, -1 to 1, of unrelated queries and texts. The value depends on the model, such as
   * 0.05 or 0.7. A ranking scales a higher value down to the default embedder's 0.115, so that relevance is
   * comparable. The value must be constant for an id, to 0.001. Cache it, because it is requested with every
   * query. Without this method, cosines are not scaled.
   *
   * @throws {MemoryError} like `embed`.
   */
  unrelatedCosine?(): Promise<number>;
}

/** Scores texts against a query, more accurately and more slowly than a ranker that compares vectors. */
export interface Reranker {
  /** Identifies model and parameters. */
  readonly id: string;
  /**
   * Returns one score from 0 to 1 per text, in order. 1 means that the text fully answers the query.
   *
   * @throws {MemoryError} `unavailable` or `overloaded` if the provider does not answer.
   */
  rerank(query: string, texts: readonly string[], options?: { signal?: AbortSignal }): Promise<number[]>;
}

/** Structured logger, compatible with pino. Fields come first. Contents of memories are never logged. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
