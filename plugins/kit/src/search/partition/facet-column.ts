import type { Texts } from "../../storage.js";
import { grown } from "./grown.js";

/** JSON of each slot's facets: a text, or a place in a batch from storage, which is decoded when it is asked for. */
export class FacetColumn {
  readonly #sources: (string | Texts)[] = [];
  /** For a slot from a batch: its row there. */
  #rows = new Uint32Array(16);

  push(facets: string): void {
    this.#sources.push(facets);
  }

  pushAll(facets: Texts, count: number): void {
    const first = this.#sources.length;
    if (first + count > this.#rows.length) {
      this.#rows = grown(this.#rows, Math.max(first + count, 2 * this.#rows.length));
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

  /** Bytes of the text. */
  sizeAt(slot: number): number {
    const source = this.#sources[slot]!;
    return typeof source === "string" ? Buffer.byteLength(source) : source.lengthAt(this.#rows[slot]!);
  }

  clear(slot: number): void {
    this.#sources[slot] = "";
  }
}
