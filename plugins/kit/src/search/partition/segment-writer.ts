import { HEADER, type PostingArrays, PostingSegment, type SegmentRange } from "./posting-segment.js";
import { growArray } from "./typed-arrays.js";

const LISTS_MIN = 16;
const BYTES_MIN = 128;
const VARINT_BYTES_MAX = 5;
/** Longest posting, and longest start of a list. Bytes. */
const POSTING_BYTES_MAX = 4 + 2 * VARINT_BYTES_MAX;
const START_BYTES_MAX = 1 + 3 * VARINT_BYTES_MAX;

/** Writes a segment, word after word. */
export class SegmentWriter {
  readonly #from: number;
  #hashes = new Uint32Array(LISTS_MIN);
  #starts = new Uint32Array(LISTS_MIN);
  #bytes = new Uint8Array(BYTES_MIN);
  #listCount = 0;
  #length = 0;
  #count = 0;

  /** @param from first slot of the segment */
  constructor(from: number) {
    this.#from = from;
  }

  /** Adds the first `size` postings as a list. Hashes ascend, and so do the slots. */
  add(hash: number, postings: PostingArrays, size: number): void {
    if (size === 0) return;
    this.#reserve(size);
    this.#hashes[this.#listCount] = hash;
    this.#starts[this.#listCount++] = this.#length;
    this.#count += size;
    const usual = usualCounts(postings.counts, size);
    const width = widthOf(postings.slots, size);
    this.#writeStart(size, usual, width);
    this.#writeSlots(postings.slots, size, width);
    let former = 0;
    for (let index = 0; index < size; index++) {
      const counts = postings.counts[index]!;
      if (counts === usual) continue;
      this.#write(index - former);
      this.#write(counts);
      former = index;
    }
  }

  /** @returns the segment, or undefined without postings. */
  end(range: Omit<SegmentRange, "from">): PostingSegment | undefined {
    if (this.#count === 0) return undefined;
    this.#starts[this.#listCount] = this.#length;
    return new PostingSegment({ from: this.#from, ...range }, this.#count, {
      hashes: this.#hashes.subarray(0, this.#listCount),
      starts: this.#starts.subarray(0, this.#listCount + 1),
      bytes: this.#bytes.subarray(0, this.#length),
    });
  }

  /** Reserves space for a list, and for the end of the last one. */
  #reserve(size: number): void {
    if (this.#listCount + 2 > this.#hashes.length) {
      this.#hashes = growArray(this.#hashes, 2 * this.#hashes.length);
      this.#starts = growArray(this.#starts, 2 * this.#starts.length);
    }
    const length = this.#length + START_BYTES_MAX + size * POSTING_BYTES_MAX;
    if (length > this.#bytes.length) this.#bytes = growArray(this.#bytes, 2 * length);
  }

  #writeStart(size: number, usual: number, width: number): void {
    const isShort = size <= HEADER.lengthMax;
    const length = isShort ? size << HEADER.lengthShift : 0;
    this.#bytes[this.#length++] = length | (usual === 1 ? 0 : HEADER.hasCounts) | (width - 1);
    if (!isShort) this.#write(size);
    if (usual !== 1) this.#write(usual);
  }

  #writeSlots(slots: Uint32Array, size: number, width: number): void {
    this.#write(slots[0]! - this.#from);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 1; index < size; index++) {
      let rest = slots[index]! - slots[index - 1]!;
      for (let byte = 0; byte < width; byte++, rest >>>= 8) bytes[at++] = rest;
    }
    this.#length = at;
  }

  /** Writes a number as `ByteReader.varint` reads it. */
  #write(value: number): void {
    let rest = value;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#length++] = (rest & 127) | 128;
    this.#bytes[this.#length++] = rest;
  }
}

/** Returns the bytes of the longest distance between two slots. */
function widthOf(slots: Uint32Array, size: number): number {
  let longest = 1;
  for (let index = 1; index < size; index++) longest = Math.max(longest, slots[index]! - slots[index - 1]!);
  return Math.ceil((32 - Math.clz32(longest)) / 8);
}

/** Returns the counts that more than half of the postings have, or else any. */
function usualCounts(counts: Uint16Array, size: number): number {
  let [usual, lead] = [0, 0];
  for (let index = 0; index < size; index++) {
    if (lead === 0) usual = counts[index]!;
    lead += counts[index] === usual ? 1 : -1;
  }
  return usual;
}
