import { EMPTY, grown } from "./grown.js";

/** Below this, what an allocator would keep is little, and a mapping of its own not worth it. */
const OWN_PAGES_BYTES_MIN = 2 ** 18;

/** Room for so many numbers, for `release`. */
export function roomFor(count: number): Uint32Array<ArrayBuffer> {
  const size = count * Uint32Array.BYTES_PER_ELEMENT;
  // A buffer that may be resized has memory pages of its own.
  const buffer = new ArrayBuffer(size, size < OWN_PAGES_BYTES_MIN ? undefined : { maxByteLength: size });
  return new Uint32Array(buffer, 0, count);
}

/** A copy of packed numbers of four bytes, for `release`. */
export function numbersOf(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  const numbers = roomFor(bytes.byteLength / Uint32Array.BYTES_PER_ELEMENT);
  new Uint8Array(numbers.buffer).set(bytes);
  return numbers;
}

/**
 * Gives memory of many numbers back to the system, now: garbage collection may be long in coming, and an allocator
 * keeps what is freed. 100,000 entries that are asked after a start take 380 MiB of RSS with this, and 419 without. They
 * are not to be read any more.
 */
export function release({ buffer }: Uint32Array<ArrayBuffer>): void {
  if (buffer.resizable) buffer.resize(0);
}

/** Logarithm of the smallest list's room: most words that come twice come some times more. */
const ROOM_BITS_MIN = 2;
/** Lists that there is room for with the first. */
const LISTS_MIN = 4;
/** The same for postings. */
const POSTINGS_MIN = 16;
/** How much longer the arrays become when they are full. */
const GROWTH = 1.5;
/** Places to a posting, about, as lists have room to grow. */
const ROOM_SHARE = 1.5;

/** Where one list stands. */
export interface PostingRange {
  readonly start: number;
  readonly size: number;
}

/**
 * Many growing lists of slots with a count each, in two arrays: most words of a partition stand in few rows, and a
 * list of its own would take more than they do. With words as text has them, 100,000 entries of 45 words take 53 MiB of
 * RSS and are indexed in 0.5 s; with two typed arrays for each list 194 MiB and 1.5 s, and a full garbage collection
 * takes 84 ms instead of 2. The room of a list is a power of two; one that is full moves to a larger place, and places
 * that are left are used again.
 */
export class PostingLists {
  slots: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  counts: Uint16Array<ArrayBuffer> = EMPTY.shorts;
  /** Postings in all lists. */
  count = 0;
  #starts: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  #sizes: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  /** Of each list, how many more `reserve` has counted; 0 between its calls. */
  #expected: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  /** The logarithm of each list's room; 0 where it has none yet. */
  #roomBits: Uint8Array<ArrayBuffer> = EMPTY.bytes;
  #length = 0;
  /** Where the arrays are used up to. */
  #end = 0;
  /** Places that are left, by the logarithm of their room. */
  readonly #free: number[][] = [];

  /** Begins an empty list. @returns its number. */
  begin(): number {
    const list = this.#length++;
    if (list < this.#starts.length) return list;
    const length = Math.max(LISTS_MIN, 2 * list);
    this.#starts = grown(this.#starts, length);
    this.#sizes = grown(this.#sizes, length);
    this.#expected = grown(this.#expected, length);
    this.#roomBits = grown(this.#roomBits, length);
    return list;
  }

  /** So many more will come: arrays that grow step by step would leave their former places to the allocator. */
  expect(count: number): void {
    this.#reach(this.#end + Math.ceil(ROOM_SHARE * count));
  }

  /** Room for one more in each of these lists, which may name a list several times: it moves once for all of them. */
  reserve(lists: Uint32Array): void {
    for (const list of lists) this.#expected[list]!++;
    for (const list of lists) {
      if (this.#expected[list] === 0) continue;
      this.#reserve(list, this.#sizes[list]! + this.#expected[list]!);
      this.#expected[list] = 0;
    }
  }

  push(list: number, slot: number, count: number): void {
    const size = this.#sizes[list]!;
    this.#reserve(list, size + 1);
    const at = this.#starts[list]! + size;
    this.slots[at] = slot;
    this.counts[at] = count;
    this.#sizes[list] = size + 1;
    this.count++;
  }

  range(list: number): PostingRange {
    return { start: this.#starts[list]!, size: this.#sizes[list]! };
  }

  /** Leaves the postings of live slots in a list. An empty list's room goes to others. */
  keepAlive(list: number, alive: Uint8Array): void {
    const start = this.#starts[list]!;
    const end = start + this.#sizes[list]!;
    let kept = start;
    for (let at = start; at < end; at++) {
      if (alive[this.slots[at]!] === 0) continue;
      this.slots[kept] = this.slots[at]!;
      this.counts[kept++] = this.counts[at]!;
    }
    this.#sizes[list] = kept - start;
    this.count -= end - kept;
    const bits = this.#roomBits[list]!;
    if (kept > start || bits === 0) return;
    this.#freePlaces(bits).push(start);
    this.#roomBits[list] = 0;
  }

  get listCount(): number {
    return this.#length;
  }

  get sizeBytes(): number {
    return (
      this.slots.byteLength + this.counts.byteLength + this.#starts.byteLength * 3 + this.#roomBits.byteLength
    );
  }

  #reserve(list: number, size: number): void {
    const bits = this.#roomBits[list]!;
    if (bits === 0 || size > 1 << bits) this.#move(list, Math.max(ROOM_BITS_MIN, 32 - Math.clz32(size - 1)));
  }

  #move(list: number, bits: number): void {
    const start = this.#place(bits);
    const from = this.#starts[list]!;
    const size = this.#sizes[list]!;
    this.slots.copyWithin(start, from, from + size);
    this.counts.copyWithin(start, from, from + size);
    this.#starts[list] = start;
    const formerBits = this.#roomBits[list]!;
    if (formerBits > 0) this.#freePlaces(formerBits).push(from);
    this.#roomBits[list] = bits;
  }

  /** A place that is left, cut in half as often as it takes, or else a new one. */
  #place(bits: number): number {
    let from = bits;
    while (from < this.#free.length && this.#free[from]!.length === 0) from++;
    const start = this.#free[from]?.pop();
    if (start === undefined) return this.#newPlace(bits);
    while (from > bits) this.#free[--from]!.push(start + (1 << from));
    return start;
  }

  #newPlace(bits: number): number {
    const start = this.#end;
    this.#end += 1 << bits;
    this.#reach(this.#end);
    return start;
  }

  #reach(end: number): void {
    if (end <= this.slots.length) return;
    const length = Math.max(POSTINGS_MIN, end, Math.ceil(GROWTH * this.slots.length));
    this.slots = grown(this.slots, length);
    this.counts = grown(this.counts, length);
  }

  #freePlaces(bits: number): number[] {
    while (this.#free.length <= bits) this.#free.push([]);
    return this.#free[bits]!;
  }
}
