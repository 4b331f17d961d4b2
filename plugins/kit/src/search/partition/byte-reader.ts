interface ReadSlots {
  readonly slots: Uint32Array;
  readonly start: number;
  readonly end: number;
  readonly from: number;
}

/** Reads the parts of a list of postings. Loops without branches, which would take several times as long. */
export class ByteReader {
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
