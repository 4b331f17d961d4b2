import type { Partition } from "../partition/partition.js";
import type { Hit } from "./entry.js";

/** The slots beside an entry in its group, both lists ascending by `seq`. */
export interface NeighbourSlots {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

const NONE: NeighbourSlots = Object.freeze({ before: [], after: [] });

/** Finds neighbours in a partition: one look at a group's slots, however many entries of it are asked about. */
export class NeighbourFinder {
  readonly #partition: Partition;
  /** Live slots of a group, ascending by `seq`. */
  readonly #ordered = new Map<string, Uint32Array>();

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  /** Up to so many live entries of the hit's group with the nearest `seq` below and above (clause RET-29). */
  find({ group, seq }: Hit, counts: { readonly before: number; readonly after: number }): NeighbourSlots {
    if (group === "") return NONE;
    const slots = this.#groupSlots(group);
    const { seqs } = this.#partition.columns;
    const at = firstNotBelow(slots, seqs, seq);
    const next = at < slots.length && seqs[slots[at]!] === seq ? at + 1 : at;
    return {
      before: [...slots.subarray(Math.max(0, at - counts.before), at)],
      after: [...slots.subarray(next, next + counts.after)],
    };
  }

  #groupSlots(group: string): Uint32Array {
    let ordered = this.#ordered.get(group);
    if (ordered === undefined) {
      ordered = orderedBySeq(this.#partition, group);
      this.#ordered.set(group, ordered);
    }
    return ordered;
  }
}

/** An updated entry has a later slot than its `seq` tells; without updates there is nothing to sort. */
function orderedBySeq(partition: Partition, group: string): Uint32Array {
  const { alive, seqs } = partition.columns;
  const live = partition
    .attributes()
    .slotsOfGroup(group)
    .filter((slot) => alive[slot] === 1);
  const isOrdered = live.every((slot, index) => index === 0 || seqs[live[index - 1]!]! < seqs[slot]!);
  return isOrdered ? live : live.sort((a, b) => seqs[a]! - seqs[b]!);
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
