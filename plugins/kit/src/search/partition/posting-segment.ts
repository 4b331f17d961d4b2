import { ByteReader } from "./byte-reader.js";

/** Bits of a list's first byte: the bytes of a distance minus 1, whether counts follow, and the number of postings. */
export const HEADER = { widthMask: 3, hasCounts: 4, lengthShift: 3, lengthMax: 31 } as const;

/** Size of a segment's objects. Bytes. */
const OBJECT_BYTES = 640;

/** Postings of one or more words, one after another. The arrays may be longer. */
export interface PostingArrays {
  slots: Uint32Array;
  counts: Uint16Array;
}

/** Lists of a segment in ascending order of the words' hashes. */
export interface SegmentLists {
  readonly hashes: Uint32Array;
  /** Start of each list in `bytes`, and the end of the last. */
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;
}

export interface SegmentRange {
  /** Slots from `from` (inclusive) to `end` (exclusive). */
  readonly from: number;
  readonly end: number;
  /** Number of live slots when the segment was begun. If fewer are live now, it may have postings of dead ones. */
  readonly liveCount: number;
}

/**
 * Postings of the words in a range of slots, about three bytes each. Never changes. Each distance of two slots of
 * a list takes as many bytes as the longest one. The counts that differ from the usual ones follow.
 */
export class PostingSegment {
  readonly range: SegmentRange;
  /** Number of postings. */
  readonly count: number;
  readonly hashes: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #bytes: Uint8Array;

  /** Copies the lists. Small partitions are many, so the copies share a buffer. */
  constructor(range: SegmentRange, count: number, { hashes, starts, bytes }: SegmentLists) {
    this.range = range;
    this.count = count;
    const buffer = new ArrayBuffer(hashes.byteLength + starts.byteLength + bytes.byteLength);
    this.hashes = new Uint32Array(buffer, 0, hashes.length);
    this.#starts = new Uint32Array(buffer, hashes.byteLength, starts.length);
    this.#bytes = new Uint8Array(buffer, hashes.byteLength + starts.byteLength);
    this.hashes.set(hashes);
    this.#starts.set(starts);
    this.#bytes.set(bytes);
  }

  /** Returns the number of a word's list, or undefined. */
  find(hash: number): number | undefined {
    const { hashes } = this;
    let [low, high] = [0, hashes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (hashes[middle]! < hash) low = middle + 1;
      else high = middle;
    }
    return hashes[low] === hash ? low : undefined;
  }

  /** Returns the number of postings of a list. */
  lengthOf(list: number): number {
    const reader = new ByteReader(this.#bytes, this.#starts[list]!);
    return reader.byte() >>> HEADER.lengthShift || reader.varint();
  }

  /** Writes the postings of a list into arrays, from `start` on. @returns the end. */
  read(list: number, { slots, counts }: PostingArrays, start: number): number {
    const reader = new ByteReader(this.#bytes, this.#starts[list]!);
    const header = reader.byte();
    const end = start + (header >>> HEADER.lengthShift || reader.varint());
    counts.fill(header & HEADER.hasCounts ? reader.varint() : 1, start, end);
    reader.slots((header & HEADER.widthMask) + 1, { slots, start, end, from: this.range.from });
    reader.counts(counts, start, this.#starts[list + 1]!);
    return end;
  }

  get sizeBytes(): number {
    return OBJECT_BYTES + this.hashes.buffer.byteLength;
  }
}
