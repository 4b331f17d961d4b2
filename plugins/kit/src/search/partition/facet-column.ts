import type { Texts } from "../../storage.js";
import { EMPTY, growArray } from "./typed-arrays.js";

/** Size of a text in RAM in addition to its bytes. */
const TEXT_BYTES = 64;

/**
 * JSON of each slot's facets: a string, or a reference into a batch from storage that is decoded on access.
 */
export class FacetColumn {
  readonly #sources: (string | Texts)[] = [];
  /** Row within the batch, for a slot from a batch. */
  #rows: Uint32Array<ArrayBuffer> = EMPTY.numbers;

  push(facets: string): void {
    this.#sources.push(facets);
  }

  pushAll(facets: Texts, count: number): void {
    const first = this.#sources.length;
    if (first + count > this.#rows.length) {
      this.#rows = growArray(this.#rows, Math.max(first + count, 2 * this.#rows.length));
    }
    for (let row = 0; row < count; row++) {
      this.#rows[first + row] = row;
      this.#sources.push(facets);
    }
  }

  at(slot: number): string {
    const source = this.#sources[slot]!;
    return typeof source === "string" ? source : source.at(this.#rows[slot]!);
  }

  /** Returns the byte length of the text. */
  sizeAt(slot: number): number {
    const source = this.#sources[slot]!;
    return typeof source === "string" ? Buffer.byteLength(source) : source.lengthAt(this.#rows[slot]!);
  }

  /** Returns the approximate size in RAM. Bytes. */
  bytesAt(slot: number): number {
    return this.sizeAt(slot) + TEXT_BYTES;
  }

  clear(slot: number): void {
    this.#sources[slot] = "";
  }
}
