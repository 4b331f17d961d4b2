import { growArray, lowerBound } from "../../search/index.js";

const ROWS_MIN = 1_024;

/**
 * Similarities of many rows by row id, in 16 bytes each if the rows are added in ascending order, as a storage mostly
 * has them. Any other order builds a map, which takes more memory.
 */
export class RowSimilarities {
  #ids = new Float64Array(ROWS_MIN);
  #values = new Float64Array(ROWS_MIN);
  #count = 0;
  #isAscending = true;
  /** Row that is probably looked up next. */
  #next = 0;
  #positions: Map<number, number> | undefined;
  readonly #later = new Map<number, number>();

  add(rowId: number, value: number): void {
    if (this.#count === this.#ids.length) {
      this.#ids = growArray(this.#ids, 2 * this.#count);
      this.#values = growArray(this.#values, 2 * this.#count);
    }
    if (this.#count > 0 && rowId < this.#ids[this.#count - 1]!) this.#isAscending = false;
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
    const at = this.#positionOf(rowId);
    if (at === undefined) return undefined;
    this.#next = at + 1;
    return this.#values[at];
  }

  #positionOf(rowId: number): number | undefined {
    if (this.#next < this.#count && this.#ids[this.#next] === rowId) return this.#next;
    if (!this.#isAscending) {
      this.#positions ??= new Map(Array.from({ length: this.#count }, (_, at) => [this.#ids[at]!, at]));
      return this.#positions.get(rowId);
    }
    const at = lowerBound(this.#ids, rowId, this.#count);
    return at < this.#count && this.#ids[at] === rowId ? at : undefined;
  }
}
