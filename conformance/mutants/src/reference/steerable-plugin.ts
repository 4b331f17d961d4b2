import {
  type EntryExplanation,
  importanceFactor,
  isMemoryError,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type ScopeSelector,
  type Snippet,
  withTimeout,
} from "@membus/protocol";
import type { PluginRetrieveRequest, PluginRetrieveResult } from "@membus/protocol/plugin";
import { ReferencePlugin } from "./reference-plugin.js";
import { cosine, lexicalOf, matchedTerms, textOf } from "./relevance.js";
import type { Found, Row } from "./row.js";
import { bestParagraph } from "./snippet.js";
import { diversify, neighboursOf, recencyOf } from "./steering.js";

const RERANK_WAIT_MS = 1_000;

/** A found row. `rerank` is the score of the reranker. */
export interface RankedRow extends Found {
  readonly rerank?: number;
}

export interface Choice {
  readonly found: readonly RankedRow[];
  readonly degraded?: MemoryError;
}

type Vector = Float32Array | undefined;

/** The reference plugin with steering and explanations. Each rule is a separate method. */
export class SteerablePlugin extends ReferencePlugin {
  protected override features() {
    const rerank = this.services === undefined || this.services.reranker !== undefined;
    const steered = { fields: true, recency: true, diversity: true, expand: true, explain: true, rerank };
    return { ...super.features(), ...steered, snippet: true, context: true, absolute: true };
  }

  override async onRetrieve(
    selector: ScopeSelector,
    request: PluginRetrieveRequest,
  ): Promise<PluginRetrieveResult> {
    this.sweep();
    this.refuseTooMany(this.selectedPartitions(selector));
    const all = await this.find(selector, request);
    const { found, degraded } = await this.choose(all, request);
    const page = { ...this.page(found, request), total: this.total(all, found) };
    const vector = await this.queryVector(request).catch(() => undefined);
    const entries = page.entries.map((entry) => this.adorned(entry, selector, found, request, vector));
    return {
      ...page,
      entries,
      ...(degraded && { degraded }),
      ...(request.explain && { explain: this.ranking(selector, request, vector) }),
    };
  }

  protected override scoreOf(...[row, request, vector]: Parameters<ReferencePlugin["scoreOf"]>): number {
    return super.scoreOf(row, request, vector) * this.recency(row, request);
  }

  protected recency(row: Row, request: PluginRetrieveRequest): number {
    return recencyOf(row, request);
  }

  /** Returns the number of all matches, regardless of the rows chosen for the page. */
  protected total(all: readonly Found[], _chosen: readonly Found[]): number {
    return all.length;
  }

  // Choosing

  protected async choose(all: readonly Found[], request: PluginRetrieveRequest): Promise<Choice> {
    const { found, degraded } = request.rerank ? await this.rerank(all, request) : { found: all };
    const { diversity, limit } = request;
    const chosen = diversity ? this.diversify(found, diversity, limit) : found;
    return { found: chosen, ...(degraded && { degraded }) };
  }

  protected diversify(found: readonly RankedRow[], diversity: number, limit: number): readonly RankedRow[] {
    return diversify(found, { diversity, limit });
  }

  protected async rerank(all: readonly Found[], request: PluginRetrieveRequest): Promise<Choice> {
    const best = all.slice(0, this.rerankCount());
    try {
      const scores = await this.askReranker(best, request);
      const rescored = best.map((one, at) => this.rescore(one, scores[at]!, request));
      const kept = rescored.filter(({ score }) => score > 0 && score >= request.min_score);
      return { found: kept.sort((a, b) => this.compare(a, b, request)) };
    } catch (error) {
      return this.withoutReranker(all, isMemoryError(error) ? error : undefined);
    }
  }

  protected rerankCount(): number {
    return LIMITS.rerankEntries;
  }

  protected withoutReranker(all: readonly Found[], error?: MemoryError): Choice {
    return { found: all, degraded: error ?? new MemoryError("unavailable", "the reranker does not answer") };
  }

  protected async askReranker(best: readonly Found[], { query }: PluginRetrieveRequest): Promise<number[]> {
    const texts = best.map(({ row }) => textOf(row));
    const answer = this.services.reranker!.rerank(query!, texts);
    const scores = await withTimeout(this.services.clock, RERANK_WAIT_MS, answer);
    if (scores === undefined) throw new MemoryError("unavailable", "the reranker timed out");
    return scores;
  }

  protected rescore({ row }: Found, rerank: number, request: PluginRetrieveRequest): RankedRow {
    return { row, rerank, score: rerank * importanceFactor(row.importance) * this.recency(row, request) };
  }

  // Explaining

  protected adorned(
    entry: MemoryEntry,
    selector: ScopeSelector,
    found: readonly RankedRow[],
    request: PluginRetrieveRequest,
    vector: Vector,
  ): MemoryEntry {
    const one = found.find(({ row }) => row.key_hash === entry.key_hash && isOf(row, entry, selector))!;
    return {
      ...entry,
      ...(request.expand && { neighbours: this.neighbours(one.row, request) }),
      ...(this.hasSnippet(request) && { snippet: this.snippet(one.row, request) }),
      ...(request.explain && { explain: this.explanation(one, request, vector) }),
    } as MemoryEntry;
  }

  protected hasSnippet({ include }: PluginRetrieveRequest): boolean {
    return include.includes("snippet");
  }

  protected snippet(row: Row, { query }: PluginRetrieveRequest): Snippet {
    return bestParagraph(row, query);
  }

  protected passage(row: Row, request: PluginRetrieveRequest): EntryExplanation["passage"] {
    const { text, start } = this.snippet(row, request);
    return { start, end: start + text.length };
  }

  protected neighbours(row: Row, { expand, include }: PluginRetrieveRequest): MemoryEntry["neighbours"] {
    const { before, after } = this.neighbourRows(row, expand!);
    const neighboursOfRows = (rows: readonly Row[]) => rows.map((one) => this.neighbour(one, include));
    return { before: neighboursOfRows(before), after: neighboursOfRows(after) };
  }

  protected neighbourRows(row: Row, expand: NonNullable<PluginRetrieveRequest["expand"]>) {
    return neighboursOf(row, this.reachable(row), expand);
  }

  /** Returns the rows that may be neighbours of a row. */
  protected reachable(row: Row): readonly Row[] {
    return [...this.partition(row.scope).rows.values()].filter((other) => !this.isOver(other));
  }

  protected neighbour(row: Row, include: readonly string[]): MemoryEntry {
    return this.entry(
      row,
      row.importance,
      include.filter((name) => name !== "embedding"),
    );
  }

  protected explanation(
    { row, rerank }: RankedRow,
    request: PluginRetrieveRequest,
    vector: Vector,
  ): EntryExplanation {
    const isRanked = request.query !== undefined || request.embedding !== undefined;
    const terms = matchedTerms(row, request);
    return {
      terms,
      lexical: lexicalOf(terms),
      similarity: cosine(row.vector, vector) ?? null,
      group: 0,
      relevance: isRanked ? this.relevance(row, request, vector) : 1,
      importance: isRanked ? importanceFactor(row.importance) : row.importance,
      recency: this.recency(row, request),
      passage: this.passage(row, request),
      ...(rerank !== undefined && { rerank }),
    };
  }

  protected ranking(
    selector: ScopeSelector,
    request: PluginRetrieveRequest,
    vector: Vector,
  ): NonNullable<PluginRetrieveResult["explain"]> {
    const embedder = vector === undefined ? null : (this.services.embedder?.id ?? null);
    const terms = request.query?.toLowerCase().split(/\s+/) ?? [];
    const candidates = this.select(selector, request).length;
    return { analyzer: "words", embedder, generation: embedder, candidates, terms };
  }
}

function isOf({ scope }: Row, { namespace, tier }: MemoryEntry, { tenant }: ScopeSelector): boolean {
  return scope.namespace === namespace && scope.tier === tier && scope.tenant === tenant;
}
