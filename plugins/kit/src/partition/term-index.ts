import { weightedLength } from "../rank/index.js";
import { grown } from "./slot-columns.js";
import { SlotList } from "./slot-list.js";

/** Postings of a partition's words, and of each row its weighted length and group. */
export class TermIndex {
  #postings = new Map<number, SlotList>();
  #postingsBytes = 0;
  #groupIds = new Map<string, number>();
  #latestGroupId = 0;
  lengths = new Float32Array(16);
  /** 0: in no group. */
  groups = new Uint32Array(16);
  /** Slots below this are indexed. */
  upTo = 0;

  postings(hash: number): SlotList | undefined {
    return this.#postings.get(hash | 0);
  }

  /** Indexes the next slot; `terms` are pairs of hash and counts. */
  add(slot: number, terms: Uint32Array, group: string): void {
    this.skip(slot);
    this.lengths[slot] = weightedLength(terms);
    this.groups[slot] = group === "" ? 0 : this.#groupId(group);
    for (let i = 0; i < terms.length; i += 2) this.#list(terms[i]! | 0).pushCounted(slot, terms[i + 1]!);
    this.#postingsBytes += 6 * terms.length;
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
    const postings = this.#postings;
    this.#postings = new Map();
    this.#postingsBytes = 0;
    for (const [hash, list] of postings) this.#remapList(hash, list, renumbered);
    this.lengths = Float32Array.from(kept, (slot) => this.lengths[slot] ?? 0);
    this.groups = Uint32Array.from(kept, (slot) => this.groups[slot] ?? 0);
    this.#dropUnusedGroups();
    this.upTo = kept.findLastIndex((slot) => slot < this.upTo) + 1;
  }

  get sizeBytes(): number {
    const groups = this.#groupIds.size * 80;
    return (
      this.lengths.byteLength +
      this.groups.byteLength +
      groups +
      this.#postings.size * 160 +
      this.#postingsBytes
    );
  }

  #list(hash: number): SlotList {
    let list = this.#postings.get(hash);
    if (list === undefined) {
      list = new SlotList();
      this.#postings.set(hash, list);
    }
    return list;
  }

  #remapList(hash: number, list: SlotList, renumbered: Int32Array): void {
    const remapped = new SlotList();
    for (let i = 0; i < list.size; i++) {
      const slot = renumbered[list.slots[i]!]!;
      if (slot >= 0) remapped.pushCounted(slot, list.counts[i]!);
    }
    if (remapped.size === 0) return;
    this.#postings.set(hash, remapped);
    this.#postingsBytes += 12 * remapped.size;
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
