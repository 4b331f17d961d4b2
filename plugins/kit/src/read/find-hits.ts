import type { PluginRetrieveRequest, Position } from "@membus/protocol";
import { comparePositions } from "@membus/protocol";
import { hashesOf } from "../analyzer/index.js";
import { TopSlots } from "../partition/top-slots.js";
import { rank } from "../rank/index.js";
import type { Resident } from "../residency/resident.js";
import { copyHit, type Hit } from "./entry.js";
import { explainScores, type Ranking } from "./explain.js";
import type { PreparedQuery } from "./query.js";
import { recencyOf } from "./recency.js";

export interface FoundHits {
  /** In the total order, at most `limit`, all behind `after`. */
  readonly hits: Hit[];
  /** All that match, whatever the limit. */
  readonly total: number;
  /** All that meet the criteria, whatever their score; counted only where `explain` asks for it. */
  readonly candidateCount: number;
}

/** Filters, ranks, counts and cuts: one synchronous look at a partition. */
export function findHits(
  resident: Resident,
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
): FoundHits {
  const { partition } = resident;
  const selected = partition.select(request.filter);
  const ranking = rankingOf(resident, request, query, selected);
  const scores = scoreSlots(resident, ranking, request);
  const positions = new SlotPositions(resident, request, scores);
  const top = new TopSlots(request.limit, positions.compare);
  let total = 0;
  for (let slot = 0; slot < selected.length; slot++) {
    if (selected[slot] === 0 || scores[slot]! < request.min_score) continue;
    if (query !== undefined && scores[slot] === 0) continue;
    total++;
    if (positions.isBehind(slot, request.after)) top.offer(slot);
  }
  const slots = top.sorted();
  const explanations = request.explain && explainScores(resident, ranking, slots, request);
  const vector = request.include.includes("embedding") || Boolean(request.diversity);
  const hits = slots.map((slot, index) =>
    copyHit(resident, slot, scores[slot]!, { vector, explanation: explanations?.[index] }),
  );
  return { hits, total, candidateCount: request.explain ? countMarked(selected) : 0 };
}

function rankingOf(
  { partition }: Resident,
  { fields }: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
  allowed: Uint8Array,
): Ranking | undefined {
  if (query === undefined) return undefined;
  const { terms, vector } = query;
  return {
    corpus: partition.corpus(hashesOf(terms)),
    query: { terms, allowed, ...(fields && { fields }), ...(vector && { vector }) },
  };
}

/** Relevance times importance times recency; relevance is 1 where nothing is asked for (clause RET-8). */
function scoreSlots(
  { partition }: Resident,
  ranking: Ranking | undefined,
  request: PluginRetrieveRequest,
): Float64Array {
  const { importances, occurredAt, count } = partition.columns;
  const scores = ranking === undefined ? importances.subarray(0, count) : new Float64Array(count);
  if (ranking !== undefined) {
    const relevance = rank(ranking.corpus, ranking.query);
    for (let slot = 0; slot < count; slot++) scores[slot] = relevance[slot]! * importances[slot]!;
  }
  if (request.recency === undefined) return scores;
  return scores.map((score, slot) => score * recencyOf(request, occurredAt[slot]!));
}

function countMarked(bitmap: Uint8Array): number {
  let count = 0;
  for (const mark of bitmap) count += mark;
  return count;
}

/** The total order over the slots of one partition, which has one tier and one namespace (clause RET-5). */
class SlotPositions {
  readonly #resident: Resident;
  readonly #request: PluginRetrieveRequest;
  readonly #ranks: Float64Array;
  readonly #direction: 1 | -1;

  constructor(resident: Resident, request: PluginRetrieveRequest, scores: Float64Array) {
    this.#resident = resident;
    this.#request = request;
    this.#ranks = request.order === "relevance" ? scores : resident.partition.columns.occurredAt;
    this.#direction = request.order === "oldest" ? 1 : -1;
  }

  readonly compare = (a: number, b: number): number => {
    const { columns, keys } = this.#resident.partition;
    const byRank = this.#direction * (this.#ranks[a]! - this.#ranks[b]!);
    if (byRank !== 0) return byRank;
    const bySeq =
      this.#request.order === "relevance" ? 0 : this.#direction * (columns.seqs[a]! - columns.seqs[b]!);
    return bySeq || keys.compare(a, b);
  };

  isBehind(slot: number, after: Position | undefined): boolean {
    if (after === undefined) return true;
    const byRank = this.#direction * (this.#ranks[slot]! - after.rank);
    return (byRank || comparePositions(this.#position(slot), after, this.#request.order)) > 0;
  }

  #position(slot: number): Position {
    const { partition, scope } = this.#resident;
    return {
      rank: this.#ranks[slot]!,
      seq: partition.columns.seqs[slot]!,
      tier: scope.tier,
      namespace: scope.namespace,
      key_hash: partition.keys.hashOf(slot),
    };
  }
}
