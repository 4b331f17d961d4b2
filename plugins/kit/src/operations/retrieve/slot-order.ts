import type { Position } from "@membus/protocol/plugin";
import type { LoadedPartition } from "../../lifecycle/index.js";
import type { ScanPlan } from "./retrieve-plan.js";

/** Returns a negative number if slot `a` is listed before slot `b`. */
export type CompareSlots = (a: number, b: number) => number;

/**
 * Keeps the first `limit` of the offered slots in the order of `compare`, in a heap with the last of them as
 * root.
 */
export class TopSlots {
  readonly #heap: number[] = [];

  constructor(
    readonly limit: number,
    readonly compare: CompareSlots,
  ) {}

  offer(slot: number): void {
    const heap = this.#heap;
    if (heap.length < this.limit) {
      heap.push(slot);
      this.#up(heap.length - 1);
    } else if (this.limit > 0 && this.compare(slot, heap[0]!) < 0) {
      heap[0] = slot;
      this.#down(0);
    }
  }

  /** The last slot if there are `limit` slots. Later slots are not added. */
  get last(): number | undefined {
    return this.#heap.length < this.limit ? undefined : this.#heap[0];
  }

  /** Returns the slots in order. */
  sorted(): number[] {
    return this.#heap.sort(this.compare);
  }

  #up(index: number): void {
    const heap = this.#heap;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.compare(heap[index]!, heap[parent]!) <= 0) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #down(index: number): void {
    const heap = this.#heap;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const later = right < heap.length && this.compare(heap[right]!, heap[left]!) > 0 ? right : left;
      if (this.compare(heap[later]!, heap[index]!) <= 0) return;
      this.#swap(index, later);
      index = later;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  }
}

/** Total order over the slots of one partition, which has one tier and one namespace (clause RET-5). */
export class SlotOrder {
  readonly #loaded: LoadedPartition;
  readonly #plan: ScanPlan;
  readonly #scoreOf: (slot: number) => number;

  constructor(loaded: LoadedPartition, plan: ScanPlan, scoreOf: (slot: number) => number) {
    this.#loaded = loaded;
    this.#plan = plan;
    this.#scoreOf = scoreOf;
  }

  readonly compare = (a: number, b: number): number => {
    const { columns, keys } = this.#loaded.partition;
    const { isByScore, direction } = this.#plan;
    const byRank = direction * (this.#rankOf(a) - this.#rankOf(b));
    if (byRank !== 0) return byRank;
    const bySeq = isByScore ? 0 : direction * (columns.numbers.seq[a]! - columns.numbers.seq[b]!);
    return bySeq || keys.compare(a, b);
  };

  /** Returns whether a slot may be before `last`, the last slot of a full page. */
  mayBeOnPage(slot: number, last: number | undefined): boolean {
    return last === undefined || this.#plan.direction * (this.#rankOf(slot) - this.#rankOf(last)) <= 0;
  }

  /** Returns whether a slot is after the cursor. */
  isAfterCursor(slot: number): boolean {
    const { after, direction } = this.#plan;
    if (after === undefined) return true;
    const byRank = direction * (this.#rankOf(slot) - after.rank);
    return (byRank || this.#plan.comparePositions(this.#position(slot), after)) > 0;
  }

  #rankOf(slot: number): number {
    return this.#plan.isByScore
      ? this.#scoreOf(slot)
      : this.#loaded.partition.columns.numbers.occurredAt[slot]!;
  }

  #position(slot: number): Position {
    const { partition, scope } = this.#loaded;
    return {
      rank: this.#rankOf(slot),
      seq: partition.columns.numbers.seq[slot]!,
      tier: scope.tier,
      namespace: scope.namespace,
      key_hash: partition.keys.hashOf(slot),
    };
  }
}
