import {
  type Clock,
  LIMITS,
  MemoryError,
  type RankingExplanation,
  type Scope,
  type ScopeSelector,
} from "@membus/protocol";
import type { PluginRetrieveRequest, PluginRetrieveResult } from "@membus/protocol/plugin";
import { indexInBackground } from "../../lifecycle/index.js";
import { Yielder } from "../../yielder.js";
import type { RetrieveParts } from "../tier.js";
import { diversify } from "./diversify.js";
import { type Found, findIn } from "./find-in.js";
import { type PreparedQuery, prepareQuery } from "./query.js";
import { type PageEntries, readEntries } from "./read-entries.js";
import { type RankedHits, requireReranker, rerank } from "./rerank.js";
import { planRetrieve, type RetrievePlan, type ScanPlan } from "./retrieve-plan.js";
import { mergeHits, type ScopedHit } from "./scoped-hits.js";

/** Number of attempts to build a page while its entries are being removed. */
const ATTEMPTS = 8;

/** Returns one page of the selected partitions, merged in the total order (clause RET-5). */
export async function retrieve(
  tier: RetrieveParts,
  selector: ScopeSelector,
  request: PluginRetrieveRequest,
): Promise<PluginRetrieveResult> {
  const plan = planRetrieve(request);
  const stages = new Stages(tier.clock);
  const scopes = await tier.registry.select(selector, LIMITS.subtreePartitions);
  if (plan.rerankQuery !== undefined) requireReranker(tier);
  const query = plan.query && (await prepareQuery(tier, plan.query));
  stages.end("query");
  const { entries, isCut, found, degraded } = await retrievePage(tier, scopes, plan, { query, stages });
  if (query !== undefined) indexInBackground(tier.registry, scopes, tier.clock);
  const reason = degraded ?? found.degraded ?? vectorsMissing(found.pendingCount);
  return {
    entries,
    total: found.total,
    total_relation: found.isApproximate ? "gte" : "eq",
    ...(found.isApproximate ? { approximate: true } : {}),
    ...(isCut ? { cut: true } : {}),
    ...(reason === undefined ? {} : { degraded: reason }),
    ...(plan.scan.explain ? { explain: explainRanking(tier, query, found) } : {}),
    took_ms: stages.tookMs,
  };
}

interface Page extends PageEntries {
  readonly found: Found;
  readonly degraded?: MemoryError | undefined;
}

/** Finds, chooses, then reads the entries. Entries that are removed during the read are not returned. */
async function retrievePage(
  tier: RetrieveParts,
  scopes: readonly Scope[],
  plan: RetrievePlan,
  { query, stages }: { readonly query: PreparedQuery | undefined; readonly stages: Stages },
): Promise<Page> {
  const yielder = new Yielder();
  for (let attempt = 1; ; attempt++) {
    const found = await findEverywhere(tier, scopes, plan.scan, query);
    stages.end("search");
    await yielder.yieldIfDue();
    const { hits, degraded } = await choosePage(tier, found.hits, plan, stages);
    await yielder.yieldIfDue();
    const read = await readEntries(tier, hits, plan.entries);
    stages.end("read");
    if (read.isWhole || attempt === ATTEMPTS) return { ...read, found, degraded };
  }
}

/** Chooses the page from the best candidates: first by reranking, then by diversity, if planned. */
async function choosePage(
  tier: RetrieveParts,
  candidates: readonly ScopedHit[],
  { scan, limit, diversity, rerankQuery }: RetrievePlan,
  stages: Stages,
): Promise<RankedHits> {
  let { hits, degraded }: RankedHits = { hits: candidates };
  if (rerankQuery !== undefined) {
    ({ hits, degraded } = await rerank(tier, hits, rerankQuery, scan));
    stages.end("rerank");
  }
  if (diversity !== undefined) {
    hits = await diversify(tier, hits, { diversity, limit });
    stages.end("diversify");
  }
  return { hits: hits.slice(0, limit), degraded };
}

async function findEverywhere(
  tier: RetrieveParts,
  scopes: readonly Scope[],
  plan: ScanPlan,
  query: PreparedQuery | undefined,
): Promise<Found> {
  let hits: readonly ScopedHit[] = [];
  let [total, candidateCount, pendingCount] = [0, 0, 0];
  let degraded: MemoryError | undefined = scopes.length === 0 ? query?.degraded : undefined;
  let generation: string | undefined;
  let isApproximate = false;
  const yielder = new Yielder();
  for (const scope of scopes) {
    await yielder.yieldIfDue();
    const found = await tier.registry.use(scope, (loaded) => findIn(tier, loaded, plan, query));
    hits = mergeHits(hits, found.hits, plan);
    total += found.total;
    candidateCount += found.candidateCount;
    pendingCount += found.pendingCount;
    degraded ??= found.degraded;
    generation ??= found.generation;
    isApproximate ||= found.isApproximate;
  }
  return { hits, total, candidateCount, pendingCount, degraded, generation, isApproximate };
}

function explainRanking(
  tier: RetrieveParts,
  query: PreparedQuery | undefined,
  { candidateCount, generation }: Found,
): RankingExplanation {
  return {
    analyzer: tier.analyzer.id,
    embedder: generation === undefined ? null : tier.embedder!.id,
    generation: generation ?? null,
    candidates: candidateCount,
    terms: query?.terms.map(({ word }) => word) ?? [],
  };
}

function vectorsMissing(count: number): MemoryError | undefined {
  if (count === 0) return undefined;
  const message = `${count} entries have no vector yet and are found by words only`;
  return new MemoryError("unavailable", message, { count });
}

/** Measures the stages of a request. The times of a repeated stage add up. */
class Stages {
  readonly #clock: Clock;
  readonly #seconds = new Map<string, number>();
  #begun: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begun = clock.now();
  }

  /** Adds the time since the last stage to this one. */
  end(stage: string): void {
    const now = this.#clock.now();
    this.#seconds.set(stage, (this.#seconds.get(stage) ?? 0) + now - this.#begun);
    this.#begun = now;
  }

  /** Milliseconds by stage. */
  get tookMs(): Record<string, number> {
    return Object.fromEntries(
      [...this.#seconds].map(([stage, seconds]) => [stage, Math.round(seconds * 1e6) / 1e3]),
    );
  }
}
