import { type Clock, type Embedder, LIMITS, type Logger, within } from "@membus/protocol";
import type { Analyzer } from "./analyzer/index.js";
import type { RowBody } from "./row.js";
import { type Draft, indexedContext, indexedText } from "./write/plan-store.js";

/** Texts analysed at a stretch; a large batch lets other requests in between. */
const ANALYSIS_STRETCH = 64;

/** What search needs of a version. `embedder` is "" while none has answered. */
export interface DocumentIndex {
  readonly terms: Uint32Array;
  readonly embedder: string;
  readonly vector: Float32Array | null;
}

export interface IndexerDependencies {
  readonly analyzer: Analyzer;
  readonly embedder?: Embedder | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Turns versions into terms and vectors. */
export class DocumentIndexer {
  constructor(readonly dependencies: IndexerDependencies) {}

  terms(draft: Pick<Draft, "body" | "facets" | "occurredAt">): Uint32Array {
    return this.dependencies.analyzer.analyze({
      text: indexedText(draft.body),
      context: indexedContext(draft.body, draft.facets),
      occurredAt: draft.occurredAt,
    });
  }

  /** Indexes each draft, waiting for the embedder at most `waitMs`: what it has not answered by then is pending. */
  async index(drafts: readonly Draft[], waitMs: number): Promise<DocumentIndex[]> {
    const vectors = this.#vectors(drafts, waitMs);
    const terms: Uint32Array[] = [];
    for (const draft of drafts) {
      terms.push(this.terms(draft));
      if (terms.length % ANALYSIS_STRETCH === 0) await new Promise(setImmediate);
    }
    const found = await vectors;
    return drafts.map((_, index) => ({ terms: terms[index]!, ...found[index]! }));
  }

  /** Vectors of bodies, none without an embedder; throws as the embedder does. A long text counts by its beginning. */
  async embed(bodies: readonly RowBody[]): Promise<(Float32Array | null)[]> {
    const { embedder } = this.dependencies;
    const texts = bodies.map((body) => indexedText(body).slice(0, LIMITS.derivedTextLength).toWellFormed());
    return embedder === undefined ? texts.map(() => null) : embedder.embed(texts, "document");
  }

  async #vectors(drafts: readonly Draft[], waitMs: number): Promise<Omit<DocumentIndex, "terms">[]> {
    const { embedder } = this.dependencies;
    const open = drafts.filter((draft) => draft.vector === null);
    const answers = open.length > 0 && waitMs > 0 ? await this.#answers(open, waitMs) : undefined;
    let next = 0;
    return drafts.map((draft) => {
      if (draft.vector !== null) return { embedder: draft.embedder, vector: draft.vector };
      if (answers === undefined) return { embedder: "", vector: null };
      return { embedder: embedder?.id ?? "", vector: answers[next++] ?? null };
    });
  }

  /** The embedder's answer, or undefined when it fails or takes too long: the entry is stored all the same. */
  async #answers(drafts: readonly Draft[], waitMs: number): Promise<(Float32Array | null)[] | undefined> {
    const { embedder, clock, logger } = this.dependencies;
    if (embedder === undefined) return undefined;
    const answers = this.embed(drafts.map(({ body }) => body)).catch((error: unknown) => {
      logger.warn({ err: error, embedder: embedder.id }, "embedder failed; vectors follow later");
      return undefined;
    });
    return within(clock, waitMs, answers);
  }
}
