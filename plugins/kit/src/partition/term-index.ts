import { type Postings, weightedLength } from "../rank/index.js";
import { HashTable } from "./hash-table.js";
import { PostingLists } from "./posting-lists.js";
import { grown } from "./slot-columns.js";

/** Postings of a partition's words, and of each row its weighted length and group. */
export class TermIndex {
  #lists = new HashTable();
  #postings = new PostingLists();
  #groupIds = new Map<string, number>();
  #latestGroupId = 0;
  lengths = new Float32Array(16);
  /** 0: in no group. */
  groups = new Uint32Array(16);
  /** Slots below this are indexed. */
  upTo = 0;

  postings(hash: number): Postings | undefined {
    const list = this.#lists.get(hash >>> 0);
    if (list === undefined) return undefined;
    const { start, size } = this.#postings.range(list);
    const { slots, counts } = this.#postings;
    return { slots: slots.subarray(start, start + size), counts: counts.subarray(start, start + size), size };
  }

  /** Indexes the next slot; `terms` are pairs of hash and counts. */
  add(slot: number, terms: Uint32Array, group: string): void {
    this.skip(slot);
    this.lengths[slot] = weightedLength(terms);
    this.groups[slot] = group === "" ? 0 : this.#groupId(group);
    for (let i = 0; i < terms.length; i += 2) this.#postings.push(this.#list(terms[i]!), slot, terms[i + 1]!);
  }

  /** Leaves the next slot out: it is dead. */
  skip(slot: number): void {
    if (slot >= this.lengths.length) this.#grow(slot * 2);
    this.upTo = slot + 1;
  }

  /** Keeps the slots that `kept` lists in ascending order, under their new numbers. */
  remap(kept: Uint32Array, slotCount: number): void {
    const renumbered = new Int32Array(slotCount).fill(-1);
    for (let slot = 0; slot < kept.length; slot++) renumbered[kept[slot]!] = slot;
    const lists = this.#lists;
    const postings = this.#postings;
    this.#lists = new HashTable();
    this.#postings = new PostingLists();
    for (const [hash, list] of lists.entries()) {
      const { start, size } = postings.range(list);
      for (let at = start; at < start + size; at++) {
        const slot = renumbered[postings.slots[at]!]!;
        if (slot >= 0) this.#postings.push(this.#list(hash), slot, postings.counts[at]!);
      }
    }
    this.lengths = Float32Array.from(kept, (slot) => this.lengths[slot] ?? 0);
    this.groups = Uint32Array.from(kept, (slot) => this.groups[slot] ?? 0);
    this.#dropUnusedGroups();
    this.upTo = kept.findLastIndex((slot) => slot < this.upTo) + 1;
  }

  get sizeBytes(): number {
    const perSlot = this.lengths.byteLength + this.groups.byteLength;
    return perSlot + this.#groupIds.size * 80 + this.#lists.sizeBytes + this.#postings.sizeBytes;
  }

  #list(hash: number): number {
    let list = this.#lists.get(hash);
    if (list === undefined) {
      list = this.#postings.begin();
      this.#lists.add(hash, list);
    }
    return list;
  }

  #groupId(group: string): number {
    let id = this.#groupIds.get(group);
    if (id === undefined) {
      id = ++this.#latestGroupId;
      this.#groupIds.set(group, id);
    }
    return id;
  }

  #dropUnusedGroups(): void {
    const used = new Set(this.groups);
    this.#groupIds = new Map([...this.#groupIds].filter(([, id]) => used.has(id)));
  }

  #grow(capacity: number): void {
    this.lengths = grown(this.lengths, Math.max(16, capacity));
    this.groups = grown(this.groups, Math.max(16, capacity));
  }
}
