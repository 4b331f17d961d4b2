import { measureEntry } from "../rank/index.js";
import { EMPTY, growArray } from "./typed-arrays.js";
import type { TermRange } from "./unindexed-terms.js";

/** Number of slots reserved with the first. */
const SLOTS_MIN = 4;

/** Ranking data of each row apart from its postings: the length of its terms, and its group. */
export class TermStatistics {
  lengths: Float32Array<ArrayBuffer> = EMPTY.floats;
  contextShares: Float32Array<ArrayBuffer> = EMPTY.floats;
  /** 0: no group. */
  groups: Uint32Array<ArrayBuffer> = EMPTY.numbers;
  /** Sum of the lengths of live slots. */
  lengthTotal = 0;
  /** Slots below this are counted. */
  upTo = 0;
  #groupIds: Map<string, number> | undefined;
  #latestGroupId = 0;

  /** Counts a slot. Skipped slots before it are dead. */
  add(slot: number, terms: TermRange, group: string): void {
    if (slot >= this.lengths.length) this.#grow(slot * 2);
    this.upTo = slot + 1;
    const { length, contextShare } = measureEntry(terms.values, terms.begin, terms.end);
    this.lengths[slot] = length;
    this.contextShares[slot] = contextShare;
    this.groups[slot] = group === "" ? 0 : this.#groupId(group);
    this.lengthTotal += length;
  }

  /** Subtracts a slot that died. */
  drop(slot: number): void {
    if (slot < this.upTo) this.lengthTotal -= this.lengths[slot]!;
  }

  /** Drops the names of groups without live slots. */
  dropUnusedGroups(alive: Uint8Array): void {
    const used = new Set<number>();
    for (let slot = 0; slot < this.upTo; slot++) if (alive[slot] === 1) used.add(this.groups[slot]!);
    this.#keepGroups(used);
  }

  /** Keeps the slots that `kept` lists in ascending order, under their new numbers. */
  remap(kept: Uint32Array): void {
    this.lengths = Float32Array.from(kept, (slot) => this.lengths[slot] ?? 0);
    this.contextShares = Float32Array.from(kept, (slot) => this.contextShares[slot] ?? 1);
    this.groups = Uint32Array.from(kept, (slot) => this.groups[slot] ?? 0);
    this.upTo = kept.findLastIndex((slot) => slot < this.upTo) + 1;
    this.#keepGroups(new Set(this.groups));
  }

  /** Whether any slot is in a group, or was before dead ones were last cleared. */
  get hasGroups(): boolean {
    return this.#groupIds !== undefined && this.#groupIds.size > 0;
  }

  get sizeBytes(): number {
    return 3 * this.lengths.byteLength + (this.#groupIds?.size ?? 0) * 80;
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
    this.lengths = growArray(this.lengths, Math.max(SLOTS_MIN, capacity));
    this.contextShares = growArray(this.contextShares, Math.max(SLOTS_MIN, capacity));
    this.groups = growArray(this.groups, Math.max(SLOTS_MIN, capacity));
  }
}
