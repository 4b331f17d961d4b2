import type { Row } from "../../row.js";
import type { RowColumns } from "../../storage.js";
import { EMPTY, growArray } from "./typed-arrays.js";

/** Bit flags of a slot. The stored terms are another analyzer's. */
const OLD_TERMS = 1;
/** The row must be rewritten. */
const OUTDATED = 2;
/** The vector is another embedder's. */
const OTHER_EMBEDDER = 4;

type RowIds = Pick<Row, "analyzer" | "embedder">;

/** Tracks the rows of a partition that have another embedder or analyzer. */
export class Generations {
  /** Longer than the last slot with a flag. Empty in most partitions. */
  #flags: Uint8Array<ArrayBuffer> = EMPTY.bytes;
  /** Number of rows that are stored with another generation and must be rewritten. */
  outdatedCount = 0;
  /** Number of rows with another embedder's result. */
  otherEmbedderCount = 0;

  constructor(
    /** Id. Undefined if the tier has no similarity. */
    readonly embedder: string | undefined,
    /** Id. Undefined if rows never have another analyzer's terms. */
    readonly analyzer: string | undefined,
  ) {}

  isOutdated(slot: number): boolean {
    return (this.#flags[slot]! & OUTDATED) > 0;
  }

  hasOldTerms(slot: number): boolean {
    return (this.#flags[slot]! & OLD_TERMS) > 0;
  }

  add(slot: number, row: RowIds): void {
    this.#setFlags(slot, row);
  }

  /** Adds a batch of rows from storage, which have the slots from `first` on. */
  addAll(first: number, rows: RowColumns): void {
    for (let row = 0; row < rows.count; row++) {
      this.#setFlags(first + row, { analyzer: rows.analyzer(row), embedder: rows.embedder(row) });
    }
  }

  /** Clears a slot that died. */
  drop(slot: number): void {
    const flags = this.#flags[slot];
    if (flags === undefined) return;
    if (flags & OUTDATED) this.outdatedCount--;
    if (flags & OTHER_EMBEDDER) this.otherEmbedderCount--;
    this.#flags[slot] = 0;
  }

  /** Keeps the slots that `kept` lists, in its order. */
  remap(kept: Uint32Array): void {
    if (this.#flags !== EMPTY.bytes) this.#flags = Uint8Array.from(kept, (slot) => this.#flags[slot] ?? 0);
  }

  get sizeBytes(): number {
    return this.#flags.byteLength;
  }

  #setFlags(slot: number, row: RowIds): void {
    const isForeign = this.embedder !== undefined && row.embedder !== "" && row.embedder !== this.embedder;
    const hasOldTerms = this.analyzer !== undefined && row.analyzer !== this.analyzer;
    // Without an embedder a row keeps its vector, which is not in RAM.
    const isOutdated = isForeign || (hasOldTerms && (this.embedder !== undefined || row.embedder === ""));
    const flags =
      (hasOldTerms ? OLD_TERMS : 0) | (isOutdated ? OUTDATED : 0) | (isForeign ? OTHER_EMBEDDER : 0);
    if (flags === 0) return;
    this.#reserve(slot + 1);
    this.#flags[slot] = flags;
    if (isOutdated) this.outdatedCount++;
    if (isForeign) this.otherEmbedderCount++;
  }

  #reserve(slots: number): void {
    if (slots > this.#flags.length)
      this.#flags = growArray(this.#flags, Math.max(slots, this.#flags.length * 2));
  }
}
