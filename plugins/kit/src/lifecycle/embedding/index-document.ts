import {
  type Clock,
  deriveText,
  type Embedder,
  isMemoryError,
  keyContext,
  LIMITS,
  type Logger,
  MemoryError,
  within,
} from "@membus/protocol";
import type { Row, RowBody, RowFacets } from "../../row.js";
import type { Analyzer } from "../../search/index.js";
import { Yielder } from "../../yielder.js";
import { type Foreground, pauseMsOf } from "./background-pace.js";

let probeCount = 0;

/** What every embedder has a vector of. Another text each time, so that no cache answers for one that is down. */
function anyText(): string {
  return `memory ${++probeCount}`;
}

/** What terms are made of. */
type Indexed = Pick<IndexDraft, "body" | "facets" | "occurredAt">;

/** A version to come, as far as it is indexed. */
export interface IndexDraft extends Pick<Row, "occurredAt" | "embedder" | "vector"> {
  readonly body: RowBody;
  readonly facets: RowFacets;
}

/** What search needs of a version. `embedder` is "" while none has answered. */
export interface DocumentIndex {
  readonly terms: Uint32Array;
  readonly embedder: string;
  readonly vector: Float32Array | null;
}

export interface IndexerDependencies {
  readonly analyzer: Analyzer;
  readonly embedder: Embedder | undefined;
  readonly foreground: Foreground;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Turns versions into terms and vectors. */
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
   * Indexes each draft of a scope, waiting for the embedder at most `waitMs`: what it has not answered by then is
   * pending.
   */
  async index(drafts: readonly IndexDraft[], scope: string, waitMs: number): Promise<DocumentIndex[]> {
    const vectors = this.#vectors(drafts, scope, waitMs);
    const terms: Uint32Array[] = [];
    const yielder = new Yielder();
    for (const draft of drafts) {
      if (terms.length > 0) await yielder.rest();
      terms.push(this.terms(draft));
    }
    const found = await vectors;
    return drafts.map((_, index) => ({ terms: terms[index]!, ...found[index]! }));
  }

  /**
   * Vectors of bodies of a scope, none without an embedder. A long text counts by its beginning, and one that the
   * embedder refuses for its own sake has none. Throws as the embedder does for any other reason. Only who may write
   * into the scope can notice that it has a text already.
   */
  async embed(bodies: readonly RowBody[], scope: string): Promise<(Float32Array | null)[]> {
    const { embedder } = this.dependencies;
    if (embedder === undefined) return bodies.map(() => null);
    const texts = bodies.map((body) => indexedText(body).slice(0, LIMITS.derivedTextLength).toWellFormed());
    try {
      const vectors = await embedder.embed(texts, "document", { cacheFor: scope });
      return checkedVectors(vectors, texts.length, embedder);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (bodies.length > 1) return this.#embedEach(bodies, scope);
      if (error.code !== "too_large") await embedder.embed([anyText()], "document");
      return [null];
    }
  }

  /**
   * The same for work that can wait: a text at which the embedder fails while it answers others is left out, undefined.
   * Throws where it answers nothing, or has asked for a pause.
   */
  async embedMost(bodies: readonly RowBody[], scope: string): Promise<(Float32Array | null | undefined)[]> {
    try {
      return await this.embed(bodies, scope);
    } catch (error) {
      if (!isMemoryError(error) || error.code !== "unavailable" || pauseMsOf(error) > 0) throw error;
      await this.dependencies.embedder!.embed([anyText()], "document");
      if (bodies.length === 1) return [undefined];
      const half = bodies.length >> 1;
      const first = await this.embedMost(bodies.slice(0, half), scope);
      return [...first, ...(await this.embedMost(bodies.slice(half), scope))];
    }
  }

  /** One that is refused must not keep the others from their vectors. */
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
    const answers = open.length > 0 && waitMs > 0 ? await this.#answers(open, scope, waitMs) : undefined;
    let next = 0;
    return drafts.map((draft) => {
      if (draft.vector !== null) return { embedder: draft.embedder, vector: draft.vector };
      if (answers === undefined) return { embedder: "", vector: null };
      return { embedder: embedder!.id, vector: answers[next++]! };
    });
  }

  /** The embedder's answer, or undefined when it fails or takes too long: the entry is stored all the same. */
  async #answers(
    drafts: readonly IndexDraft[],
    scope: string,
    waitMs: number,
  ): Promise<(Float32Array | null)[] | undefined> {
    const { embedder, foreground, clock, logger } = this.dependencies;
    if (embedder === undefined) return undefined;
    const bodies = drafts.map(({ body }) => body);
    try {
      return await foreground.run(within(clock, waitMs, this.embed(bodies, scope)));
    } catch (error) {
      logger.warn({ err: error, embedder: embedder.id }, "embedder failed; vectors follow later");
      return undefined;
    }
  }
}

/** Asked again, the embedder would say the same: to this text or, unless it is too large, perhaps to any. */
function isRefusal(error: unknown): error is MemoryError {
  return isMemoryError(error) && (error.code === "too_large" || error.code === "schema_violation");
}

/** A vector of another length would run into its neighbour's. */
function checkedVectors(
  vectors: (Float32Array | null)[],
  count: number,
  { dimensions }: Embedder,
): (Float32Array | null)[] {
  const isSound = vectors.every((vector) => vector === null || vector.length === dimensions);
  if (isSound && vectors.length === count) return vectors;
  throw new MemoryError("unavailable", "the embedder gave other vectors than asked for");
}

/** The text that is analysed and embedded for a version (clause TEXT-1). */
export function indexedText(body: RowBody): string {
  return body.text ?? deriveText(body.content);
}

/** The words that help to find it: its context, and those of its key (clause TEXT-2). */
export function indexedContext(body: RowBody, facets: RowFacets): string {
  return [body.context ?? "", keyContext(facets.key)].join("\n");
}
