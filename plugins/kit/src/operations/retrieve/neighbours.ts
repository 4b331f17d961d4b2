import type { Partition } from "../../search/index.js";
import type { Hit } from "./entry.js";

/** The neighbour slots of an entry in its group, both lists ascending by `seq`. */
export interface NeighbourSlots {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

const NONE: NeighbourSlots = Object.freeze({ before: [], after: [] });

/** Finds the neighbours of hits in their partition. Each group is scanned once. */
export class NeighbourFinder {
  readonly #seqs: Float64Array;
  /** Live slots by group, ascending by `seq`. */
  readonly #members: ReadonlyMap<string, Uint32Array>;

  constructor(partition: Partition, hits: readonly Hit[]) {
    const groups = new Set(hits.map(({ group }) => group).filter((group) => group !== ""));
    const seqs = partition.columns.numbers.seq;
    const bySlot = groups.size === 0 ? new Map<string, Uint32Array>() : partition.slotsOfGroups(groups);
    this.#seqs = seqs;
    this.#members = new Map([...bySlot].map(([group, slots]) => [group, orderedBySeq(slots, seqs)]));
  }

  /**
   * Returns up to `counts` live entries of the hit's group with the nearest `seq` below and above (clause
   * RET-29).
   */
  find({ group, seq }: Hit, counts: { readonly before: number; readonly after: number }): NeighbourSlots {
    const slots = this.#members.get(group);
    if (slots === undefined) return NONE;
    const at = firstNotBelow(slots, this.#seqs, seq);
    const next = at < slots.length && this.#seqs[slots[at]!] === seq ? at + 1 : at;
    return {
      before: [...slots.subarray(Math.max(0, at - counts.before), at)],
      after: [...slots.subarray(next, next + counts.after)],
    };
  }
}

/**
 * Sorts slots by `seq`. Only updated entries are out of order, because their slot is newer than their `seq`.
 */
function orderedBySeq(slots: Uint32Array, seqs: Float64Array): Uint32Array {
  const isOrdered = slots.every((slot, index) => index === 0 || seqs[slots[index - 1]!]! < seqs[slot]!);
  return isOrdered ? slots : slots.slice().sort((a, b) => seqs[a]! - seqs[b]!);
}

function firstNotBelow(slots: Uint32Array, seqs: Float64Array, seq: number): number {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seqs[slots[middle]!]! < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
