import type { PluginRetrieveRequest, Position } from "@membus/protocol";
import { comparePositions } from "@membus/protocol";
import { TopSlots } from "../partition/top-slots.js";
import { rank } from "../rank/index.js";
import type { Resident } from "../residency/resident.js";
import { copyHit, type Hit } from "./entry.js";
import type { PreparedQuery } from "./query.js";

export interface FoundHits {
  /** In the total order, at most `limit`, all behind `after`. */
  readonly hits: Hit[];
  /** All that match, whatever the limit. */
  readonly total: number;
}

/** Filters, ranks, counts and cuts: one synchronous look at a partition. */
export function findHits(
  resident: Resident,
  request: PluginRetrieveRequest,
  query: PreparedQuery | undefined,
): FoundHits {
  const { partition } = resident;
  const selected = partition.select(request.filter);
  const scores = scoreSlots(resident, selected, query);
  const positions = new SlotPositions(resident, request, scores);
  const top = new TopSlots(request.limit, positions.compare);
  let total = 0;
  for (let slot = 0; slot < selected.length; slot++) {
    if (selected[slot] === 0 || scores[slot]! < request.min_score) continue;
    if (query !== undefined && scores[slot] === 0) continue;
    total++;
    if (positions.isBehind(slot, request.after)) top.offer(slot);
  }
  return { hits: top.sorted().map((slot) => copyHit(resident, slot, scores[slot]!, request.include)), total };
}

/** Relevance times importance; relevance is 1 where nothing is asked for (clause RET-8). */
function scoreSlots(
  { partition }: Resident,
  selected: Uint8Array,
  query: PreparedQuery | undefined,
): Float64Array {
  const { importances, count } = partition.columns;
  if (query === undefined) return importances.subarray(0, count);
  const { terms, vector, embedder } = query;
  const hashes = terms.map(({ hash }) => hash);
  const relevance = rank(partition.corpus(hashes, embedder), {
    terms,
    allowed: selected,
    ...(vector === undefined ? {} : { vector }),
  });
  const scores = new Float64Array(count);
  for (let slot = 0; slot < count; slot++) scores[slot] = relevance[slot]! * importances[slot]!;
  return scores;
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
