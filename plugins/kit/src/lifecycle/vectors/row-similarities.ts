import { growArray } from "../../search/index.js";

const ROWS_MIN = 1_024;
/** Rows that are skipped before all are indexed: those that were removed since. */
const SKIPPED_MAX = 64;

/**
 * Similarities of many rows by row id, in 16 bytes each. They are fast to look up in the order in which they were
 * added. Any other order builds a map, which takes more memory.
 */
export class RowSimilarities {
  #ids = new Float64Array(ROWS_MIN);
  #values = new Float64Array(ROWS_MIN);
  #count = 0;
  /** Row that is probably looked up next. */
  #next = 0;
  #all: Map<number, number> | undefined;
  readonly #later = new Map<number, number>();

  add(rowId: number, value: number): void {
    if (this.#count === this.#ids.length) {
      this.#ids = growArray(this.#ids, 2 * this.#count);
      this.#values = growArray(this.#values, 2 * this.#count);
    }
    this.#ids[this.#count] = rowId;
    this.#values[this.#count++] = value;
  }

  /** Sets a similarity that replaces an added one. */
  set(rowId: number, value: number): void {
    this.#later.set(rowId, value);
  }

  get(rowId: number): number | undefined {
    const later = this.#later.size > 0 ? this.#later.get(rowId) : undefined;
    if (later !== undefined) return later;
    if (this.#next >= this.#count) this.#next = 0;
    const end = Math.min(this.#count, this.#next + SKIPPED_MAX);
    for (let at = this.#next; at < end; at++) {
      if (this.#ids[at] !== rowId) continue;
      this.#next = at + 1;
      return this.#values[at];
    }
    this.#all ??= new Map(
      Array.from({ length: this.#count }, (_, at) => [this.#ids[at]!, this.#values[at]!]),
    );
    return this.#all.get(rowId);
  }
}
