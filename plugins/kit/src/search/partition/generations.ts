import type { Row } from "../../row.js";
import type { RowColumns } from "../../storage.js";
import { EMPTY, grown } from "./grown.js";

/** What is known of a slot, a bit each: its stored terms are another analyzer's. */
const OLD_TERMS = 1;
/** Its row has to be written anew. */
const OUTDATED = 2;
/** Another embedder was asked for its vector. */
const FOREIGN = 4;

type RowIds = Pick<Row, "analyzer" | "embedder">;

/** Which rows of a partition are another embedder's or analyzer's. */
export class Generations {
  /** Longer than the last slot of which something is known; most partitions have none. */
  #flags: Uint8Array<ArrayBuffer> = EMPTY.bytes;
  /** Rows that are stored as another generation's, and have to be written anew. */
  outdatedCount = 0;
  /** Rows that only another embedder has answered for. */
  foreignCount = 0;

  constructor(
    /** Id; absent when the tier has no similarity. */
    readonly embedder: string | undefined,
    /** Id; absent where rows have no other analyzer's terms. */
    readonly analyzer: string | undefined,
  ) {}

  isOutdated(slot: number): boolean {
    return (this.#flags[slot]! & OUTDATED) > 0;
  }

  hasOldTerms(slot: number): boolean {
    return (this.#flags[slot]! & OLD_TERMS) > 0;
  }

  add(slot: number, row: RowIds): void {
    this.#file(slot, row);
  }

  /** The same for a batch from storage, whose rows got the slots from `first` on. */
  addAll(first: number, rows: RowColumns): void {
    for (let row = 0; row < rows.count; row++) {
      this.#file(first + row, { analyzer: rows.analyzer(row), embedder: rows.embedder(row) });
    }
  }

  /** A slot that died. */
  drop(slot: number): void {
    const flags = this.#flags[slot];
    if (flags === undefined) return;
    if (flags & OUTDATED) this.outdatedCount--;
    if (flags & FOREIGN) this.foreignCount--;
    this.#flags[slot] = 0;
  }

  /** Keeps the slots that `kept` lists, in its order. */
  remap(kept: Uint32Array): void {
    if (this.#flags !== EMPTY.bytes) this.#flags = Uint8Array.from(kept, (slot) => this.#flags[slot] ?? 0);
  }

  get sizeBytes(): number {
    return this.#flags.byteLength;
  }

  #file(slot: number, row: RowIds): void {
    const isForeign = this.embedder !== undefined && row.embedder !== "" && row.embedder !== this.embedder;
    const hasOldTerms = this.analyzer !== undefined && row.analyzer !== this.analyzer;
    // Without an embedder a row keeps the vector that it has: it is not in RAM.
    const isOutdated = isForeign || (hasOldTerms && (this.embedder !== undefined || row.embedder === ""));
    const flags = (hasOldTerms ? OLD_TERMS : 0) | (isOutdated ? OUTDATED : 0) | (isForeign ? FOREIGN : 0);
    if (flags === 0) return;
    this.#reserve(slot + 1);
    this.#flags[slot] = flags;
    if (isOutdated) this.outdatedCount++;
    if (isForeign) this.foreignCount++;
  }

  #reserve(slots: number): void {
    if (slots > this.#flags.length) this.#flags = grown(this.#flags, Math.max(slots, this.#flags.length * 2));
  }
}
