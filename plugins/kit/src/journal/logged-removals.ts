import { decodeHead } from "./record.js";

/** Rows that the records after the flush marker remove from storage. */
export class LoggedRemovals {
  readonly #flushedSeq: number;
  readonly #removed = new Set<number>();

  constructor(flushedSeq: number) {
    this.#flushedSeq = flushedSeq;
  }

  add(seq: number, payload: Uint8Array): void {
    const { read } = decodeHead(payload);
    if (seq <= this.#flushedSeq) return;
    const { removed, scopeRemovals = [] } = read();
    for (const part of [{ removed }, ...scopeRemovals]) {
      for (const rowId of part.removed) this.#removed.add(rowId);
    }
  }

  isRemoved(rowId: number): boolean {
    return this.#removed.has(rowId);
  }
}
