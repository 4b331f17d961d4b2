import { grown } from "./grown.js";

/** Slots in ascending order. */
export class SlotList {
  slots = new Uint32Array(2);
  size = 0;

  push(slot: number): void {
    if (this.size === this.slots.length) this.slots = grown(this.slots, this.size * 2);
    this.slots[this.size++] = slot;
  }
}
