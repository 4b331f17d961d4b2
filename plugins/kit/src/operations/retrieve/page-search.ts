import type { LoadedPartition } from "../../lifecycle/index.js";
import { evidenceFor, type PrefilterLimits, QuantizedPrefilter, relevance } from "../../search/index.js";
import type { Ranking } from "./explain.js";
import type { ScanPlan } from "./retrieve-plan.js";
import { SlotOrder, TopSlots } from "./slot-order.js";

/**
 * Relative tolerance. Relevance rises with evidence except in its last bits, so ties with the last slot are
 * at most this far below.
 */
const RELATIVE_TOLERANCE = 1e-9;

/** Size of the first slice. */
const FIRST_SLICE = 64;

export interface ScoredSlot {
  readonly slot: number;
  /** Relevance times weight. */
  readonly score: number;
}

/** The first slots in the total order after the cursor, and the number of all matches. */
export interface FoundSlots {
  readonly slots: ScoredSlot[];
  readonly total: number;
}

/**
 * Scans a partition once, counts the matches of a query and keeps the first of them. A score is computed
 * exactly only if it is uncertain whether the slot matches or is on the page.
 */
export class PageSearch {
  readonly #plan: ScanPlan;
  readonly #weights: Float64Array;
  readonly #slotCount: number;
  readonly #prefilter: QuantizedPrefilter;
  readonly #order: SlotOrder;
  readonly #top: TopSlots;
  readonly #limits: { -readonly [limit in keyof PrefilterLimits]: number };
  /** Last slot of a full page. */
  #last: number | undefined;
  /** Scores of slots that may be on the page. */
  readonly #scores = new Map<number, number>();
  #total = 0;

  /** @param weights factor of each slot's relevance, 0 to 1 */
  constructor(loaded: LoadedPartition, plan: ScanPlan, { corpus, query }: Ranking, weights: Float64Array) {
    const { allowed, leastWeight } = allowedByWeight(query.allowed, weights);
    this.#plan = plan;
    this.#weights = weights;
    this.#slotCount = allowed.length;
    this.#prefilter = new QuantizedPrefilter(corpus, { ...query, allowed });
    this.#limits = {
      matchMin: evidenceFor(plan.scoreMin),
      certainMin: evidenceFor(plan.scoreMin / leastWeight),
      pageMin: 0,
    };
    this.#order = new SlotOrder(loaded, plan, (slot) => this.#scoreOf(slot));
    this.#top = new TopSlots(plan.limit, this.#order.compare);
  }

  run(): FoundSlots {
    // Starts with short slices, because every slot may be on the page until it is full.
    for (let from = 0, size = FIRST_SLICE; from < this.#slotCount; size *= 2) {
      const to = Math.min(from + Math.min(size, this.#prefilter.sliceSize), this.#slotCount);
      this.#visit(from, to);
      from = to;
    }
    const slots = this.#top.sorted().map((slot) => ({ slot, score: this.#scoreOf(slot) }));
    return { slots, total: this.#total };
  }

  #visit(from: number, to: number): void {
    const prefilter = this.#prefilter;
    this.#total += prefilter.prefilter(from, to, this.#limits);
    for (let index = 0; index < prefilter.candidateCount; index++) {
      this.#check(prefilter.candidates[index]!, prefilter.isCertain[index] === 1);
    }
  }

  #check(slot: number, isCertain: boolean): void {
    const { isByScore, scoreMin } = this.#plan;
    const evidence = isCertain && !isByScore ? 1 : this.#prefilter.evidence(slot);
    if (!isCertain && relevance(evidence) * this.#weights[slot]! < scoreMin) return;
    this.#total++;
    if (evidence >= this.#limits.pageMin) this.#offer(slot);
  }

  #offer(slot: number): void {
    if (!this.#order.mayBeOnPage(slot, this.#last) || !this.#order.isAfterCursor(slot)) return;
    this.#top.offer(slot);
    if (this.#top.last === this.#last) return;
    this.#last = this.#top.last;
    if (!this.#plan.isByScore) return;
    this.#limits.pageMin = evidenceFor(this.#scoreOf(this.#last!)) * (1 - RELATIVE_TOLERANCE);
  }

  #scoreOf(slot: number): number {
    let score = this.#scores.get(slot);
    if (score === undefined) {
      score = this.#prefilter.relevance(slot) * this.#weights[slot]!;
      this.#scores.set(slot, score);
    }
    return score;
  }
}

/**
 * Returns the selection without slots of weight 0, which never match, and the smallest weight of the others.
 */
function allowedByWeight(
  selected: Uint8Array,
  weights: Float64Array,
): { allowed: Uint8Array; leastWeight: number } {
  let leastWeight = 1;
  let hasNone = false;
  for (let slot = 0; slot < selected.length; slot++) {
    const weight = weights[slot]!;
    if (weight >= leastWeight) continue;
    if (weight > 0) leastWeight = weight;
    else hasNone = true;
  }
  const allowed = hasNone ? selected.map((mark, slot) => (weights[slot]! > 0 ? mark : 0)) : selected;
  return { allowed, leastWeight };
}
