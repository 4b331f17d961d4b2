import { lowerBound } from "../lower-bound.js";

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
    const list = lowerBound(this.hashes, hash);
    return this.hashes[list] === hash ? list : undefined;
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

interface ReadSlots {
  readonly slots: Uint32Array;
  readonly start: number;
  readonly end: number;
  readonly from: number;
}

/** Reads the parts of a list of postings. Loops without branches, which would take several times as long. */
class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  byte(): number {
    return this.#bytes[this.#at++]!;
  }

  /** Reads a number below 2^32: seven bits per byte, the lowest first. Another byte follows one above 127. */
  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++]!;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  }

  /** Reads the first slot as its distance from `from`, and the others as distances of `width` bytes. */
  slots(width: number, { slots, start, end, from }: ReadSlots): void {
    let slot = from + this.varint();
    slots[start] = slot;
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = start + 1; index < end; index++) {
      let distance = bytes[at++]!;
      if (width > 1) distance |= bytes[at++]! << 8;
      if (width > 2) distance |= bytes[at++]! << 16;
      if (width > 3) distance |= bytes[at++]! << 24;
      slot += distance;
      slots[index] = slot;
    }
    this.#at = at;
  }

  /** Reads pairs of a distance and counts, until `end`. */
  counts(counts: Uint16Array, start: number, end: number): void {
    for (let index = start; this.#at < end; ) {
      index += this.varint();
      counts[index] = this.varint();
    }
  }
}
