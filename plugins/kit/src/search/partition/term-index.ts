import { HashTable } from "../hash-table.js";
import type { Postings } from "../rank/index.js";
import { PostingLists } from "./posting-lists.js";
import type { SlotTerms } from "./unindexed-terms.js";

/** Postings of a partition's words. */
export class TermIndex {
  #lists = new HashTable();
  #postings = new PostingLists();
  /** Slots below this are indexed. */
  upTo = 0;

  postings(hash: number): Postings | undefined {
    const list = this.#lists.get(hash >>> 0);
    if (list === undefined) return undefined;
    const { start, size } = this.#postings.range(list);
    const { slots, counts } = this.#postings;
    return { slots: slots.subarray(start, start + size), counts: counts.subarray(start, start + size), size };
  }

  /** Reserves space for this number of terms. */
  reserveTerms(termCount: number): void {
    this.#postings.reservePostings(termCount);
  }

  /** Indexes slots below `upTo`, in ascending order. The slots between them are dead. */
  addAll(added: readonly SlotTerms[], upTo: number): void {
    this.upTo = upTo;
    const lists = this.#listsOf(added);
    this.#postings.reserve(lists);
    let next = 0;
    for (const { slot, values, begin, end } of added) {
      for (let at = begin; at < end; at += 2) this.#postings.push(lists[next++]!, slot, values[at + 1]!);
    }
  }

  /** Removes dead slots from all lists, and words without slots, about `stepSize` postings per step. */
  *removeDead(columns: { readonly alive: Uint8Array }, stepSize: number): Generator<void> {
    const postings = this.#postings;
    let scanned = 0;
    for (let list = 0; list < postings.listCount; list++) {
      scanned += 1 + postings.range(list).size;
      postings.removeDead(list, columns.alive);
      if (scanned < stepSize) continue;
      scanned = 0;
      yield;
    }
    // Slots were renumbered concurrently, which also removed the dead ones.
    if (postings !== this.#postings) return;
    const lists = new HashTable(this.#lists.count);
    for (const [hash, list] of this.#lists.entries()) {
      if (postings.range(list).size > 0) lists.add(hash, list);
    }
    this.#lists = lists;
  }

  /** Keeps the slots that `kept` lists in ascending order, under their new numbers. */
  remap(kept: Uint32Array, slotCount: number): void {
    const renumbered = new Int32Array(slotCount).fill(-1);
    for (let slot = 0; slot < kept.length; slot++) renumbered[kept[slot]!] = slot;
    const [lists, postings] = [this.#lists, this.#postings];
    this.#lists = new HashTable(lists.count);
    this.#postings = new PostingLists();
    this.#postings.reservePostings(postings.count);
    for (const [hash, list] of lists.entries()) {
      const { start, size } = postings.range(list);
      let kept: number | undefined;
      for (let at = start; at < start + size; at++) {
        const slot = renumbered[postings.slots[at]!]!;
        if (slot < 0) continue;
        kept ??= this.#list(hash);
        this.#postings.push(kept, slot, postings.counts[at]!);
      }
    }
    this.upTo = kept.findLastIndex((slot) => slot < this.upTo) + 1;
  }

  get sizeBytes(): number {
    return this.#lists.sizeBytes + this.#postings.sizeBytes;
  }

  /** Returns the list of each term, slot after slot. */
  #listsOf(added: readonly SlotTerms[]): Uint32Array {
    const lists = new Uint32Array(added.reduce((count, { begin, end }) => count + (end - begin) / 2, 0));
    let next = 0;
    for (const { values, begin, end } of added) {
      for (let at = begin; at < end; at += 2) lists[next++] = this.#list(values[at]!);
    }
    return lists;
  }

  #list(hash: number): number {
    let list = this.#lists.get(hash);
    if (list === undefined) {
      list = this.#postings.begin();
      this.#lists.add(hash, list);
    }
    return list;
  }
}

/** Joins postings. Indexed slots are before unindexed ones. */
export function joinPostings(
  indexed: Postings | undefined,
  unindexed: Postings | undefined,
): Postings | undefined {
  if (indexed === undefined || unindexed === undefined) return indexed ?? unindexed;
  const size = indexed.size + unindexed.size;
  const slots = new Uint32Array(size);
  const counts = new Uint16Array(size);
  slots.set(indexed.slots.subarray(0, indexed.size));
  counts.set(indexed.counts.subarray(0, indexed.size));
  slots.set(unindexed.slots.subarray(0, unindexed.size), indexed.size);
  counts.set(unindexed.counts.subarray(0, unindexed.size), indexed.size);
  return { slots, counts, size };
}
