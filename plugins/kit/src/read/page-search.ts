import type { PluginRetrieveRequest } from "@membus/protocol";
import { TopSlots } from "../partition/top-slots.js";
import { RelevanceBounds } from "../rank/index.js";
import type { Resident } from "../residency/resident.js";
import type { PreparedQuery } from "./query.js";
import { SlotOrder } from "./slot-order.js";

/** Slots looked at together where nothing is ranked. */
const STRETCH = 4_096;

export interface ScoredSlot {
  readonly slot: number;
  /** Relevance times weight. */
  readonly score: number;
}

/** What is known of the relevance of slots: see `RelevanceBounds`. */
type SlotRelevances = Pick<RelevanceBounds, "stretch" | "atLeast" | "atMost" | "load" | "exact">;

/**
 * One pass over a partition that counts what matches and keeps the first of it. A score is worked out in full only
 * where its bounds leave open whether it counts, or whether it belongs on the page.
 */
export class PageSearch {
  readonly #request: PluginRetrieveRequest;
  readonly #slotCount: number;
  readonly #selected: Uint8Array;
  /** What the relevance of each slot is multiplied by: its importance (clause RET-8). */
  readonly #weights: Float64Array;
  readonly #relevances: SlotRelevances;
  /** Only what is related to the query counts. */
  readonly #isRanked: boolean;
  readonly #order: SlotOrder;
  readonly #top: TopSlots;
  /** Scores that were worked out. */
  readonly #scores = new Map<number, number>();
  #total = 0;

  constructor(resident: Resident, request: PluginRetrieveRequest, query: PreparedQuery | undefined) {
    const { partition } = resident;
    this.#request = request;
    this.#slotCount = partition.columns.count;
    this.#selected = partition.select(request.filter);
    this.#weights = partition.columns.importances;
    this.#relevances = relevancesOf(resident, this.#selected, query);
    this.#isRanked = query !== undefined;
    this.#order = new SlotOrder(resident, request, (slot) => this.#scoreOf(slot));
    this.#top = new TopSlots(request.limit, this.#order.compare);
  }

  /** The first slots in the total order that are behind the request's cursor, and how many match in all. */
  run(): { readonly slots: ScoredSlot[]; readonly total: number } {
    const { stretch } = this.#relevances;
    const count = Math.ceil(this.#slotCount / stretch);
    for (let index = 0; index < count; index++) {
      // Times mostly grow with slots: what comes first in the order is then met first, and the rest is soon told apart.
      const from = (this.#request.order === "newest" ? count - 1 - index : index) * stretch;
      this.#visit(from, Math.min(from + stretch, this.#slotCount));
    }
    const slots = this.#top.sorted().map((slot) => ({ slot, score: this.#scoreOf(slot) }));
    return { slots, total: this.#total };
  }

  #visit(from: number, to: number): void {
    this.#relevances.load(from, to);
    const step = this.#request.order === "newest" ? -1 : 1;
    const { atLeast, atMost } = this.#relevances;
    for (let slot = step === 1 ? from : to - 1; slot >= from && slot < to; slot += step) {
      if (this.#selected[slot] === 0) continue;
      const weight = this.#weights[slot]!;
      const most = atMost[slot - from]! * weight;
      if (!this.#counts(most)) continue;
      const least = atLeast[slot - from]! * weight;
      if (!this.#counts(least) && !this.#counts(this.#relevances.exact(slot) * weight)) continue;
      this.#total++;
      if (this.#order.mayBePage(slot, least, most, this.#top.last)) this.#offer(slot);
    }
  }

  #offer(slot: number): void {
    if (this.#order.isBehind(slot, this.#request.after)) this.#top.offer(slot);
  }

  #counts(score: number): boolean {
    return score >= this.#request.min_score && (score > 0 || !this.#isRanked);
  }

  #scoreOf(slot: number): number {
    let score = this.#scores.get(slot);
    if (score === undefined) {
      score = this.#relevances.exact(slot) * this.#weights[slot]!;
      this.#scores.set(slot, score);
    }
    return score;
  }
}

function relevancesOf(
  { partition }: Resident,
  allowed: Uint8Array,
  query: PreparedQuery | undefined,
): SlotRelevances {
  if (query === undefined) return EVERYTHING;
  const { terms, vector } = query;
  return new RelevanceBounds(partition.corpus(terms.map(({ hash }) => hash)), {
    terms,
    allowed,
    ...(vector === undefined ? {} : { vector }),
  });
}

/** Relevance is 1 where nothing is asked for (clause RET-8). */
const EVERYTHING: SlotRelevances = {
  stretch: STRETCH,
  atLeast: new Float32Array(STRETCH).fill(1),
  atMost: new Float32Array(STRETCH).fill(1),
  load: () => undefined,
  exact: () => 1,
};
