import { codeLengthOf, encodeSlot, type VectorCodes } from "../rank/index.js";
import { grown } from "./grown.js";

interface SlotVectors {
  readonly data: Float32Array;
  readonly present: Uint8Array;
}

/** Codes of a partition's vectors: of those at once that a query can wait for, of more behind the queries. */
export class SlotCodes implements VectorCodes {
  codes = new Int8Array(0);
  scales = new Float32Array(0);
  errors = new Float32Array(0);
  /** Slots below this have theirs. */
  upTo = 0;
  readonly #codeLength: number;

  constructor(readonly dimensions: number) {
    this.#codeLength = codeLengthOf(dimensions);
  }

  /** Makes the codes of slots up to before `end`. */
  encode(vectors: SlotVectors, end: number): void {
    if (end <= this.upTo) return;
    this.#reserve(vectors.present.length);
    for (let slot = this.upTo; slot < end; slot++) {
      if (vectors.present[slot] === 1) encodeSlot(this, slot, vectors.data, this.dimensions);
    }
    this.upTo = end;
  }

  /** A slot has got its vector. */
  update(vectors: SlotVectors, slot: number): void {
    if (slot < this.upTo) encodeSlot(this, slot, vectors.data, this.dimensions);
  }

  /** Leaves nothing of a slot. */
  clear(slot: number): void {
    if (slot >= this.upTo) return;
    this.codes.fill(0, slot * this.#codeLength, (slot + 1) * this.#codeLength);
    this.scales[slot] = 0;
    this.errors[slot] = 0;
  }

  /** Slots have changed: all codes are made anew. */
  reset(): void {
    this.codes = new Int8Array(0);
    this.scales = new Float32Array(0);
    this.errors = new Float32Array(0);
    this.upTo = 0;
  }

  get sizeBytes(): number {
    return this.codes.byteLength + this.scales.byteLength * 2;
  }

  #reserve(slots: number): void {
    if (slots <= this.scales.length) return;
    this.codes = grown(this.codes, slots * this.#codeLength);
    this.scales = grown(this.scales, slots);
    this.errors = grown(this.errors, slots);
  }
}
