import { weightedLength } from "../rank/index.js";
import { grown } from "./grown.js";
import type { TermRange } from "./waiting-terms.js";

/** Of each row what ranking needs besides its postings: the weighted length of its terms, and its group. */
export class TermStatistics {
  lengths = new Float32Array(16);
  /** 0: in no group. */
  groups = new Uint32Array(16);
  /** Sum of the lengths of live slots. */
  lengthTotal = 0;
  /** Slots below this are counted in. */
  upTo = 0;
  #groupIds = new Map<string, number>();
  #latestGroupId = 0;

  /** Counts in a slot, and those before it that are skipped: they are dead. */
  add(slot: number, terms: TermRange, group: string): void {
    if (slot >= this.lengths.length) this.#grow(slot * 2);
    this.upTo = slot + 1;
    this.lengths[slot] = weightedLength(terms.values, terms.begin, terms.end);
    this.groups[slot] = group === "" ? 0 : this.#groupId(group);
    this.lengthTotal += this.lengths[slot]!;
  }

  /** A slot died. */
  drop(slot: number): void {
    if (slot < this.upTo) this.lengthTotal -= this.lengths[slot]!;
  }

  /** Keeps the slots that `kept` lists in ascending order, under their new numbers. */
  remap(kept: Uint32Array): void {
    this.lengths = Float32Array.from(kept, (slot) => this.lengths[slot] ?? 0);
    this.groups = Uint32Array.from(kept, (slot) => this.groups[slot] ?? 0);
    this.upTo = kept.findLastIndex((slot) => slot < this.upTo) + 1;
    const used = new Set(this.groups);
    this.#groupIds = new Map([...this.#groupIds].filter(([, id]) => used.has(id)));
  }

  /** Whether any slot is in a group, or was since slots were last renumbered. */
  get hasGroups(): boolean {
    return this.#groupIds.size > 0;
  }

  get sizeBytes(): number {
    return this.lengths.byteLength + this.groups.byteLength + this.#groupIds.size * 80;
  }

  #groupId(group: string): number {
    let id = this.#groupIds.get(group);
    if (id === undefined) {
      id = ++this.#latestGroupId;
      this.#groupIds.set(group, id);
    }
    return id;
  }

  #grow(capacity: number): void {
    this.lengths = grown(this.lengths, Math.max(16, capacity));
    this.groups = grown(this.groups, Math.max(16, capacity));
  }
}
