import { grown } from "./slot-columns.js";

/** Of the smallest list: most words that come twice come some times more. */
const ROOM_MIN = 4;

/** Where one list stands. */
export interface PostingRange {
  readonly start: number;
  readonly size: number;
}

/**
 * Many growing lists of slots with a count each, in two arrays: most words of a partition stand in few rows, and a
 * list of its own would take more than they do. A list that is full moves to a place of twice its room; places that
 * are left are used again.
 */
export class PostingLists {
  slots = new Uint32Array(64);
  counts = new Uint32Array(64);
  #starts = new Uint32Array(64);
  #sizes = new Uint32Array(64);
  #length = 0;
  /** Where the arrays are used up to. */
  #end = 0;
  /** Places that are left, by the logarithm of their room. */
  readonly #free: number[][] = [];

  /** Begins an empty list. @returns its number. */
  begin(): number {
    const list = this.#length++;
    if (list < this.#starts.length) return list;
    this.#starts = grown(this.#starts, 2 * list);
    this.#sizes = grown(this.#sizes, 2 * list);
    return list;
  }

  push(list: number, slot: number, count: number): void {
    const size = this.#sizes[list]!;
    // The room of a list is the power of two that holds it, from the smallest on.
    if ((size & (size - 1)) === 0 && (size === 0 || size >= ROOM_MIN)) this.#move(list, size);
    const at = this.#starts[list]! + size;
    this.slots[at] = slot;
    this.counts[at] = count;
    this.#sizes[list] = size + 1;
  }

  range(list: number): PostingRange {
    return { start: this.#starts[list]!, size: this.#sizes[list]! };
  }

  get sizeBytes(): number {
    return this.slots.byteLength * 2 + this.#starts.byteLength * 2;
  }

  /** A full list moves to where there is twice the room. */
  #move(list: number, size: number): void {
    const start = this.#place(size === 0 ? ROOM_MIN : 2 * size);
    const from = this.#starts[list]!;
    this.slots.copyWithin(start, from, from + size);
    this.counts.copyWithin(start, from, from + size);
    this.#starts[list] = start;
    if (size > 0) this.#freePlaces(size).push(from);
  }

  #place(room: number): number {
    const free = this.#freePlaces(room).pop();
    if (free !== undefined) return free;
    const start = this.#end;
    this.#end += room;
    if (this.#end > this.slots.length) {
      const length = Math.max(this.#end, 2 * this.slots.length);
      this.slots = grown(this.slots, length);
      this.counts = grown(this.counts, length);
    }
    return start;
  }

  #freePlaces(room: number): number[] {
    const size = Math.log2(room);
    this.#free[size] ??= [];
    return this.#free[size];
  }
}
