import { grown } from "./slot-columns.js";

/** Slots in ascending order, and a count with each where one is kept. */
export class SlotList {
  slots = new Uint32Array(2);
  counts = new Uint32Array(0);
  size = 0;

  push(slot: number): void {
    if (this.size === this.slots.length) this.slots = grown(this.slots, this.size * 2);
    this.slots[this.size++] = slot;
  }

  pushCounted(slot: number, count: number): void {
    if (this.counts.length < this.slots.length) this.counts = grown(this.counts, this.slots.length);
    this.push(slot);
    if (this.counts.length < this.slots.length) this.counts = grown(this.counts, this.slots.length);
    this.counts[this.size - 1] = count;
  }

  get sizeBytes(): number {
    return 96 + this.slots.byteLength + this.counts.byteLength;
  }
}
