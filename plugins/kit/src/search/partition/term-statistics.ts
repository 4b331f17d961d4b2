import { weightedLength } from "../rank/index.js";
import { EMPTY, grown } from "./grown.js";
import type { TermRange } from "./waiting-terms.js";

/** Slots that there is room for with the first. */
const SLOTS_MIN = 4;

/** Of each row what ranking needs besides its postings: the weighted length of its terms, and its group. */
export class TermStatistics {
  lengths: Float32Array<ArrayBuffer> = EMPTY.floats;
  /** 0: in no group. */
  groups: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  /** Sum of the lengths of live slots. */
  lengthTotal = 0;
  /** Slots below this are counted in. */
  upTo = 0;
  #groupIds: Map<string, number> | undefined;
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

  /** Drops the names of groups that no live slot is in. */
  keepAlive(alive: Uint8Array): void {
    const used = new Set<number>();
    for (let slot = 0; slot < this.upTo; slot++) if (alive[slot] === 1) used.add(this.groups[slot]!);
    this.#keepGroups(used);
  }

  /** Keeps the slots that `kept` lists in ascending order, under their new numbers. */
  remap(kept: Uint32Array): void {
    this.lengths = Float32Array.from(kept, (slot) => this.lengths[slot] ?? 0);
    this.groups = Uint32Array.from(kept, (slot) => this.groups[slot] ?? 0);
    this.upTo = kept.findLastIndex((slot) => slot < this.upTo) + 1;
    this.#keepGroups(new Set(this.groups));
  }

  /** Whether any slot is in a group, or was when dead ones were last cleared away. */
  get hasGroups(): boolean {
    return this.#groupIds !== undefined && this.#groupIds.size > 0;
  }

  get sizeBytes(): number {
    return this.lengths.byteLength + this.groups.byteLength + (this.#groupIds?.size ?? 0) * 80;
  }

  #keepGroups(used: ReadonlySet<number>): void {
    if (this.#groupIds === undefined) return;
    this.#groupIds = new Map([...this.#groupIds].filter(([, id]) => used.has(id)));
  }

  #groupId(group: string): number {
    this.#groupIds ??= new Map();
    let id = this.#groupIds.get(group);
    if (id === undefined) {
      id = ++this.#latestGroupId;
      this.#groupIds.set(group, id);
    }
    return id;
  }

  #grow(capacity: number): void {
    this.lengths = grown(this.lengths, Math.max(SLOTS_MIN, capacity));
    this.groups = grown(this.groups, Math.max(SLOTS_MIN, capacity));
  }
}
