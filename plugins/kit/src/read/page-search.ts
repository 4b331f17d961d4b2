import type { PluginRetrieveRequest } from "@membus/protocol";
import { TopSlots } from "../partition/top-slots.js";
import { EvidenceBounds, evidenceFor, relevance } from "../rank/index.js";
import type { Resident } from "../residency/resident.js";
import type { Ranking } from "./explain.js";
import { SlotOrder } from "./slot-order.js";

/** Evidence that is further from a limit than this part of it is surely on its side of it, however it was rounded. */
const HAIR = 1e-9;

export interface ScoredSlot {
  readonly slot: number;
  /** Relevance times weight. */
  readonly score: number;
}

/** What is looked through. */
export interface SlotSelection {
  /** 1 for each slot that passes the filter. */
  readonly selected: Uint8Array;
  /** What the relevance of each slot is multiplied by, 0 to 1. */
  readonly weights: Float64Array;
}

/** The first slots in the total order that are behind the request's cursor, and how many match in all. */
export interface FoundSlots {
  readonly slots: ScoredSlot[];
  readonly total: number;
}

/**
 * One pass over a partition that counts what is related to a query and keeps the first of it. A score is worked out in
 * full only where its bounds leave open whether it counts, or whether it belongs on the page.
 */
export class PageSearch {
  readonly #request: PluginRetrieveRequest;
  readonly #selection: SlotSelection;
  readonly #evidence: EvidenceBounds;
  /** Of a slot that weighs 1, the evidence from which on it counts. */
  readonly #countFrom: number;
  readonly #order: SlotOrder;
  readonly #top: TopSlots;
  /** The last slot of the page once that is full, and the evidence below which no slot comes before it. */
  #last: number | undefined;
  #pageFrom = 0;
  /** Scores that were worked out. */
  readonly #scores = new Map<number, number>();
  #total = 0;

  constructor(
    resident: Resident,
    request: PluginRetrieveRequest,
    { corpus, query }: Ranking,
    selection: SlotSelection,
  ) {
    this.#request = request;
    this.#selection = selection;
    this.#evidence = new EvidenceBounds(corpus, query);
    this.#countFrom = evidenceFor(Math.max(request.min_score, Number.MIN_VALUE));
    this.#order = new SlotOrder(resident, request, (slot) => this.#scoreOf(slot));
    this.#top = new TopSlots(request.limit, this.#order.compare);
  }

  run(): FoundSlots {
    const { stretch } = this.#evidence;
    const { length } = this.#selection.selected;
    for (let from = 0; from < length; from += stretch) this.#visit(from, Math.min(from + stretch, length));
    const slots = this.#top.sorted().map((slot) => ({ slot, score: this.#scoreOf(slot) }));
    return { slots, total: this.#total };
  }

  #visit(from: number, to: number): void {
    this.#evidence.load(from, to);
    const { least, most } = this.#evidence;
    const { selected, weights } = this.#selection;
    const nothingBelow = this.#countFrom * (1 - HAIR);
    const surelyFrom = this.#countFrom * (1 + HAIR);
    for (let slot = from; slot < to; slot++) {
      const at = slot - from;
      if (selected[slot] === 0 || most[at]! < nothingBelow) continue;
      const isSure = weights[slot] === 1 && least[at]! >= surelyFrom;
      if (!isSure && !this.#isCounted(slot, least[at]!, weights[slot]!)) continue;
      this.#total++;
      if (most[at]! >= this.#pageFrom) this.#offer(slot, least[at]!, most[at]!);
    }
  }

  #isCounted(slot: number, least: number, weight: number): boolean {
    if (this.#counts(relevance(least) * weight)) return true;
    return this.#counts(this.#evidence.exact(slot) * weight);
  }

  #offer(slot: number, least: number, most: number): void {
    const { after } = this.#request;
    const weight = this.#selection.weights[slot]!;
    const scores = { least: relevance(least) * weight, most: relevance(most) * weight };
    if (!this.#order.mayBePage(slot, scores, this.#last) || !this.#order.isBehind(slot, after)) return;
    this.#top.offer(slot);
    if (this.#top.last === this.#last) return;
    this.#last = this.#top.last;
    if (this.#request.order !== "relevance") return;
    this.#pageFrom = evidenceFor(this.#scoreOf(this.#last!)) * (1 - HAIR);
  }

  #counts(score: number): boolean {
    return score >= this.#request.min_score && score > 0;
  }

  #scoreOf(slot: number): number {
    let score = this.#scores.get(slot);
    if (score === undefined) {
      score = this.#evidence.exact(slot) * this.#selection.weights[slot]!;
      this.#scores.set(slot, score);
    }
    return score;
  }
}
