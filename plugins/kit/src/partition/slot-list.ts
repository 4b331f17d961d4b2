import { grown } from "./slot-columns.js";

/** Slots in ascending order, and a count with each where one is kept. */
export class SlotList {
  slots = new Uint32Array(2);
  /** As long as `slots`, or empty. */
  counts = new Uint32Array(0);
  size = 0;

  push(slot: number): void {
    if (this.size === this.slots.length) this.slots = grown(this.slots, this.size * 2);
    this.slots[this.size++] = slot;
  }

  pushCounted(slot: number, count: number): void {
    this.push(slot);
    if (this.counts.length < this.slots.length) this.counts = grown(this.counts, this.slots.length);
    this.counts[this.size - 1] = count;
  }
}
