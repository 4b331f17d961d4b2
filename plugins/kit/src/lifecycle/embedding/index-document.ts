import {
  type Clock,
  deriveText,
  type InFlightCounter,
  isMemoryError,
  keyContext,
  MemoryError,
  withTimeout,
} from "@membus/protocol";
import type { Embedder, Logger } from "@membus/protocol/plugin";
import type { Row, RowBody, RowFacets } from "../../row.js";
import type { Analyzer } from "../../search/index.js";
import { Yielder } from "../../yielder.js";
import { pauseMsOf } from "./rate-limiter.js";

/** Limit of the embedded part of a text, in UTF-16 units. */
export const EMBEDDED_LENGTH_MAX = 8_192;

let probeCount = 0;

/**
 * Returns a text that every embedder can embed. It differs each time, so that no cache hides a failed
 * embedder.
 */
function probeText(): string {
  return `memory ${++probeCount}`;
}

/** Parts of a version that terms are computed from. */
type Indexed = Pick<IndexDraft, "body" | "facets" | "occurredAt">;

/** A new version with the parts that are indexed. */
export interface IndexDraft extends Pick<Row, "occurredAt" | "embedder" | "vector"> {
  readonly body: RowBody;
  readonly facets: RowFacets;
}

/** Search data of a version. `embedder` is "" until an embedder has returned. */
export interface DocumentIndex {
  readonly terms: Uint32Array;
  readonly embedder: string;
  readonly vector: Float32Array | null;
}

export interface IndexerDependencies {
  readonly analyzer: Analyzer;
  readonly embedder: Embedder | undefined;
  readonly activeQueries: InFlightCounter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Computes terms and vectors of versions. */
export class DocumentIndexer {
  constructor(readonly dependencies: IndexerDependencies) {}

  terms(draft: Indexed): Uint32Array {
    return this.dependencies.analyzer.analyze({
      text: indexedText(draft.body),
      context: indexedContext(draft.body, draft.facets),
      occurredAt: draft.occurredAt,
    });
  }

  /**
   * Indexes the drafts of a scope and waits for the embedder at most `waitMs` milliseconds. Drafts without a
   * vector by then are pending.
   */
  async index(drafts: readonly IndexDraft[], scope: string, waitMs: number): Promise<DocumentIndex[]> {
    const vectors = this.#vectors(drafts, scope, waitMs);
    const terms: Uint32Array[] = [];
    const yielder = new Yielder();
    for (const draft of drafts) {
      if (terms.length > 0) await yielder.yieldIfDue();
      terms.push(this.terms(draft));
    }
    const found = await vectors;
    return drafts.map((_, index) => ({ terms: terms[index]!, ...found[index]! }));
  }

  /**
   * Returns the vectors of bodies of a scope, null for each without an embedder. Only the start of a long
   * text counts. A text that the embedder rejects has no vector. Other errors of the embedder are thrown. The
   * embedding cache is separate per scope, so timing reveals a known text only to agents that may write to
   * the scope.
   */
  async embed(bodies: readonly RowBody[], scope: string): Promise<(Float32Array | null)[]> {
    const { embedder } = this.dependencies;
    if (embedder === undefined) return bodies.map(() => null);
    const texts = bodies.map((body) => indexedText(body).slice(0, EMBEDDED_LENGTH_MAX).toWellFormed());
    try {
      const vectors = await embedder.embed(texts, "document", { cacheScope: scope });
      return checkedVectors(vectors, texts.length, embedder);
    } catch (error) {
      if (!isRejection(error)) throw error;
      if (bodies.length > 1) return this.#embedEach(bodies, scope);
      if (error.code !== "too_large") await embedder.embed([probeText()], "document");
      return [null];
    }
  }

  /**
   * Returns vectors like `embed` for background work. A text that fails while the embedder works for others
   * is undefined. Throws if the embedder fails for all texts or requests a delay.
   */
  async embedTolerant(
    bodies: readonly RowBody[],
    scope: string,
  ): Promise<(Float32Array | null | undefined)[]> {
    try {
      return await this.embed(bodies, scope);
    } catch (error) {
      if (!isMemoryError(error) || error.code !== "unavailable" || pauseMsOf(error) > 0) throw error;
      await this.dependencies.embedder!.embed([probeText()], "document");
      if (bodies.length === 1) return [undefined];
      const half = bodies.length >> 1;
      const first = await this.embedTolerant(bodies.slice(0, half), scope);
      return [...first, ...(await this.embedTolerant(bodies.slice(half), scope))];
    }
  }

  /** Embeds each body separately, so that one rejected text does not affect the others. */
  async #embedEach(bodies: readonly RowBody[], scope: string): Promise<(Float32Array | null)[]> {
    const vectors: (Float32Array | null)[] = [];
    for (const body of bodies) vectors.push(...(await this.embed([body], scope)));
    return vectors;
  }

  async #vectors(
    drafts: readonly IndexDraft[],
    scope: string,
    waitMs: number,
  ): Promise<Omit<DocumentIndex, "terms">[]> {
    const open = drafts.filter((draft) => draft.vector === null);
    const { embedder } = this.dependencies;
    const answers = open.length > 0 && waitMs > 0 ? await this.#embedDrafts(open, scope, waitMs) : undefined;
    let next = 0;
    return drafts.map((draft) => {
      if (draft.vector !== null) return { embedder: draft.embedder, vector: draft.vector };
      if (answers === undefined) return { embedder: "", vector: null };
      return { embedder: embedder!.id, vector: answers[next++]! };
    });
  }

  /**
   * Returns the embedder's vectors, or undefined if it fails or takes too long. The entry is stored anyway.
   */
  async #embedDrafts(
    drafts: readonly IndexDraft[],
    scope: string,
    waitMs: number,
  ): Promise<(Float32Array | null)[] | undefined> {
    const { embedder, activeQueries, clock, logger } = this.dependencies;
    if (embedder === undefined) return undefined;
    const bodies = drafts.map(({ body }) => body);
    try {
      return await activeQueries.track(withTimeout(clock, waitMs, this.embed(bodies, scope)));
    } catch (error) {
      logger.warn({ err: error, embedder: embedder.id }, "embedder failed, entries will be embedded later");
      return undefined;
    }
  }
}

/**
 * Returns whether the embedder rejected the text, so that a retry cannot succeed. `schema_violation` may also
 * mean that it rejects every text.
 */
function isRejection(error: unknown): error is MemoryError {
  return isMemoryError(error) && (error.code === "too_large" || error.code === "schema_violation");
}

/** Checks the vectors. A vector of another length would overwrite its neighbour. */
function checkedVectors(
  vectors: (Float32Array | null)[],
  count: number,
  { dimensions }: Embedder,
): (Float32Array | null)[] {
  const isSound = vectors.every((vector) => vector === null || vector.length === dimensions);
  if (isSound && vectors.length === count) return vectors;
  throw new MemoryError("unavailable", "the embedder returned a wrong number or size of vectors");
}

/** Returns the text that is analysed and embedded for a version (clause TEXT-1). */
export function indexedText(body: RowBody): string {
  return body.text ?? deriveText(body.content);
}

/** Returns the additional words of a version: its context and the words of its key (clause TEXT-2). */
export function indexedContext(body: RowBody, facets: RowFacets): string {
  return [body.context ?? "", keyContext(facets.key)].join("\n");
}
