import { EMPTY, growArray } from "./grow-array.js";

/** Arrays below this size get no separate memory pages, because an allocator would keep little. Bytes. */
const OWN_PAGES_BYTES_MIN = 2 ** 18;

/** Allocates an array that can be released with `release`. */
export function allocateNumbers(count: number): Uint32Array<ArrayBuffer> {
  const size = count * Uint32Array.BYTES_PER_ELEMENT;
  // A resizable buffer has its own memory pages.
  const buffer = new ArrayBuffer(size, size < OWN_PAGES_BYTES_MIN ? undefined : { maxByteLength: size });
  return new Uint32Array(buffer, 0, count);
}

/** Copies packed four-byte numbers into an array that can be released with `release`. */
export function copyNumbers(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  const numbers = allocateNumbers(bytes.byteLength / Uint32Array.BYTES_PER_ELEMENT);
  new Uint8Array(numbers.buffer).set(bytes);
  return numbers;
}

/**
 * Returns the memory of a large array to the operating system immediately. Garbage collection may run much
 * later, and an allocator keeps freed memory. 100,000 entries that are queried after a start take 380 MiB of
 * RSS with this, 419 without. The array must not be read afterwards.
 */
export function releaseMemory({ buffer }: Uint32Array<ArrayBuffer>): void {
  if (buffer.resizable) buffer.resize(0);
}

/** Logarithm of the smallest list's capacity. Most words that occur twice occur a few more times. */
const ROOM_BITS_MIN = 2;
/** Number of lists reserved with the first. */
const LISTS_MIN = 4;
/** Number of postings reserved with the first. */
const POSTINGS_MIN = 16;
/** Growth factor of full arrays. */
const GROWTH = 1.5;
/** Approximate number of positions per posting, because lists have spare capacity. */
const ROOM_SHARE = 1.5;

/** Position of a list in the arrays. */
export interface PostingRange {
  readonly start: number;
  readonly size: number;
}

/**
 * Many growing lists of slots with a count each, in two arrays. Most words of a partition occur in few rows,
 * and separate lists would take more memory than their contents. With typical words, 100,000 entries of 45
 * words take 53 MiB of RSS and are indexed in 0.5 s. With two typed arrays per list it is 194 MiB and 1.5 s,
 * and a full garbage collection takes 84 ms instead of 2. The capacity of a list is a power of two. A full
 * list moves to a larger area, and free areas are reused.
 */
export class PostingLists {
  slots: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  counts: Uint16Array<ArrayBuffer> = EMPTY.shorts;
  /** Postings in all lists. */
  count = 0;
  #starts: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  #sizes: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  /** Number of additional postings per list, counted by `reserve`. 0 between its calls. */
  #expected: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  /** Logarithm of each list's capacity. 0 if it has none yet. */
  #capacityBits: Uint8Array<ArrayBuffer> = EMPTY.bytes;
  #length = 0;
  /** End of the used part of the arrays. */
  #end = 0;
  /** Free areas by the logarithm of their capacity. */
  readonly #free: number[][] = [];

  /** Creates an empty list. @returns its number. */
  begin(): number {
    const list = this.#length++;
    if (list < this.#starts.length) return list;
    const length = Math.max(LISTS_MIN, 2 * list);
    this.#starts = growArray(this.#starts, length);
    this.#sizes = growArray(this.#sizes, length);
    this.#expected = growArray(this.#expected, length);
    this.#capacityBits = growArray(this.#capacityBits, length);
    return list;
  }

  /**
   * Reserves space for this number of additional postings. Arrays that grow step by step would leave their
   * former memory to the allocator.
   */
  reservePostings(count: number): void {
    this.#ensureLength(this.#end + Math.ceil(ROOM_SHARE * count));
  }

  /**
   * Reserves space for one more posting per occurrence of a list in `lists`. Each list moves at most once.
   */
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

  /** Removes the postings of dead slots from a list. An empty list's area is freed. */
  removeDead(list: number, alive: Uint8Array): void {
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
    const bits = this.#capacityBits[list]!;
    if (kept > start || bits === 0) return;
    this.#freeAreas(bits).push(start);
    this.#capacityBits[list] = 0;
  }

  get listCount(): number {
    return this.#length;
  }

  get sizeBytes(): number {
    return (
      this.slots.byteLength +
      this.counts.byteLength +
      this.#starts.byteLength * 3 +
      this.#capacityBits.byteLength
    );
  }

  #reserve(list: number, size: number): void {
    const bits = this.#capacityBits[list]!;
    if (bits === 0 || size > 1 << bits) this.#move(list, Math.max(ROOM_BITS_MIN, 32 - Math.clz32(size - 1)));
  }

  #move(list: number, bits: number): void {
    const start = this.#allocateArea(bits);
    const from = this.#starts[list]!;
    const size = this.#sizes[list]!;
    this.slots.copyWithin(start, from, from + size);
    this.counts.copyWithin(start, from, from + size);
    this.#starts[list] = start;
    const formerBits = this.#capacityBits[list]!;
    if (formerBits > 0) this.#freeAreas(formerBits).push(from);
    this.#capacityBits[list] = bits;
  }

  /** Returns a free area, split in halves as needed, or else a new one. */
  #allocateArea(bits: number): number {
    let from = bits;
    while (from < this.#free.length && this.#free[from]!.length === 0) from++;
    const start = this.#free[from]?.pop();
    if (start === undefined) return this.#appendArea(bits);
    while (from > bits) this.#free[--from]!.push(start + (1 << from));
    return start;
  }

  #appendArea(bits: number): number {
    const start = this.#end;
    this.#end += 1 << bits;
    this.#ensureLength(this.#end);
    return start;
  }

  #ensureLength(end: number): void {
    if (end <= this.slots.length) return;
    const length = Math.max(POSTINGS_MIN, end, Math.ceil(GROWTH * this.slots.length));
    this.slots = growArray(this.slots, length);
    this.counts = growArray(this.counts, length);
  }

  #freeAreas(bits: number): number[] {
    while (this.#free.length <= bits) this.#free.push([]);
    return this.#free[bits]!;
  }
}
