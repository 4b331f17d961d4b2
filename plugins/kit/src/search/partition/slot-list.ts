import { growArray } from "./typed-arrays.js";

/** One slot, or a list of several. */
export type Slots = number | SlotList;

/** Slots in ascending order. */
export class SlotList {
  slots = new Uint32Array(2);
  size = 0;

  /** Removes dead slots. */
  removeDead(alive: Uint8Array): void {
    let kept = 0;
    for (let at = 0; at < this.size; at++) {
      if (alive[this.slots[at]!] === 1) this.slots[kept++] = this.slots[at]!;
    }
    this.size = kept;
  }

  push(slot: number): void {
    if (this.size === this.slots.length) this.slots = growArray(this.slots, this.size * 2);
    this.slots[this.size++] = slot;
  }
}
