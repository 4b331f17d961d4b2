/** The ports of membus: what a transport, an embedder, a reranker and a log must offer. Types only. */

export type HeaderMap = Readonly<Record<string, string>>;

export interface BusMessage {
  readonly subject: string;
  /** Where the sender awaits the answer; absent when it awaits none. */
  readonly reply?: string;
  /** Header names as sent, first value of each. Lookups of our own headers use their exact spelling. */
  readonly headers: HeaderMap;
  readonly payload: Uint8Array;
}

export interface BusSubscription {
  /** Stops delivery after what has already arrived; resolves when the last callback has returned. */
  drain(): Promise<void>;
}

export type BusState = "connected" | "disconnected" | "closed";

/**
 * A subject-addressed message bus: NATS, or the same in process. Failures are `MemoryError`:
 * `unavailable` (nobody listens, or no connection), `timeout`, `too_large` (over `maxPayloadBytes`),
 * `unauthorized` (the server refuses the subject).
 */
export interface Bus {
  /** Largest message with its headers, in bytes. May change while connected (server reload). */
  readonly maxPayloadBytes: number;
  /** Replies to this connection's requests arrive on subjects that begin with this and a dot. */
  readonly inboxPrefix: string;
  readonly state: BusState;
  publish(subject: string, payload: Uint8Array, options?: { headers?: HeaderMap; reply?: string }): void;
  /** `onMessage` may throw or reject: the bus reports it to its logger and keeps delivering. */
  subscribe(
    subject: string,
    onMessage: (message: BusMessage) => void | Promise<void>,
    options?: { queue?: string },
  ): BusSubscription;
  request(
    subject: string,
    payload: Uint8Array,
    options: { timeoutMs: number; headers?: HeaderMap },
  ): Promise<BusMessage>;
  /** Every answer that arrives within `waitMs`; empty when nobody listens. */
  requestMany(subject: string, payload: Uint8Array, options: { waitMs: number }): Promise<BusMessage[]>;
  onState(listener: (state: BusState) => void): () => void;
  /** Resolves when everything published so far has reached the server. */
  flush(): Promise<void>;
  /** Drains the connection and closes it. */
  close(): Promise<void>;
}

export type EmbedKind = "document" | "query";

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  /**
   * Whose texts these are: a vector that was made for one text is given again for the same `cacheFor` alone, so that
   * nobody learns from the time that an answer takes what others have. Without it none is kept.
   */
  readonly cacheFor?: string;
}

export interface Embedder {
  /** Names model and parameters; vectors of different ids are never compared. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * One unit vector per text, in order; null for a text that has none (all tokens unknown).
   * @throws {MemoryError} `unavailable` when the provider does not answer, `too_large` for a text that is too long,
   * `schema_violation` for one that it refuses for another reason: neither is asked for again.
   */
  embed(texts: readonly string[], kind: EmbedKind, options?: EmbedOptions): Promise<(Float32Array | null)[]>;
  /**
   * The mean cosine, -1 to 1, of queries and texts that have nothing to do with each other: 0.05 with one model, 0.7 with
   * another. A ranking brings a higher one down to that of the default embedder, 0.115, so that relevance means about
   * the same. Always the same for an id, to 0.001, and asked for with every query: whoever measures it keeps it. Without
   * it, cosines are taken as they are.
   * @throws {MemoryError} as `embed` does.
   */
  unrelatedCosine?(): Promise<number>;
}

/** Scores texts by how well they answer a query, better and more slowly than a ranker that has seen each alone. */
export interface Reranker {
  /** Names model and parameters. */
  readonly id: string;
  /**
   * One score from 0 to 1 per text, in order: 1 answers the query fully.
   * @throws {MemoryError} `unavailable` or `overloaded` when the provider does not answer.
   */
  rerank(query: string, texts: readonly string[], options?: { signal?: AbortSignal }): Promise<number[]>;
}

/** Structured logging, as pino offers it. Fields come first; contents of memories are never logged. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
