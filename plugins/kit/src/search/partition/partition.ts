import type { FilterLeaf } from "@membus/protocol";
import { type Row, type RowFacets, supersedes } from "../../row.js";
import type { RowColumns } from "../../storage.js";
import type { RankCorpus } from "../rank/index.js";
import { AttributeIndex, bringUpToDate } from "./attribute-index.js";
import type { FieldIndex } from "./field-index.js";
import { Generations } from "./generations.js";
import { KeyIndex } from "./key-index.js";
import type { LookNeeds, PreparedFilter } from "./prepared-filter.js";
import { type RemovedRow, removedRow } from "./removed-row.js";
import { type FoundRow, rowsThat } from "./rows-that.js";
import { selectSlots } from "./select.js";
import { SlotColumns } from "./slot-columns.js";
import { slotsByGroup } from "./slots-by-group.js";
import { joinPostings, TermIndex } from "./term-index.js";
import { TermStatistics } from "./term-statistics.js";
import { Vectors } from "./vectors.js";
import { type SlotTerms, type TermRange, WaitingTerms } from "./waiting-terms.js";

const REBUILD_DEAD_MIN = 32;
/** What an empty partition takes with what is about it, measured. */
const BASE_BYTES = 4_096;
/** Of bodies that are analysed in one step, or facets that are indexed: some milliseconds. */
const STEP_BYTES = 16_384;
/** Of the values that a filter looks at in one step, in UTF-16 units: a millisecond at most. */
const STEP_UNITS = 16_384;

export interface PartitionOptions {
  /** Whose vectors are kept; absent when the tier has no similarity. */
  readonly embedder?: { readonly id: string; readonly dimensions: number };
  /** Id of the analyzer: terms of others are not used. */
  readonly analyzer?: string;
  /** Terms of a row that came without them. */
  termsOf(rowId: number, facets: RowFacets, occurredAt: number): Uint32Array;
}

/**
 * One scope in RAM: the current version of every entry, its statistics and indexes; bodies live elsewhere.
 * Slots are valid until the next mutation. Attributes are indexed when a request first needs them, words behind the
 * queries, which look for them in the rows until then.
 */
export class Partition {
  columns = new SlotColumns();
  keys = new KeyIndex();
  readonly vectors: Vectors | undefined;
  readonly #generations: Generations;
  liveCount = 0;
  lastRevision = 0;
  readonly #options: PartitionOptions;
  readonly #statistics = new TermStatistics();
  readonly #terms = new TermIndex();
  #attributes = new AttributeIndex();
  /** Terms of slots that are not indexed yet. */
  #waiting = new WaitingTerms(0);
  /** What the facets of live rows take. */
  facetBytes = 0;
  /** No live row expires before this; infinite where none does. */
  nextExpiry = Number.POSITIVE_INFINITY;

  constructor(options: PartitionOptions) {
    this.#options = options;
    const { embedder, analyzer } = options;
    if (embedder !== undefined) this.vectors = new Vectors(embedder.id, embedder.dimensions);
    this.#generations = new Generations(embedder?.id, analyzer);
  }

  /** The slot of the live version of a key. */
  slotOf(keyHash: string): number | undefined {
    const slot = this.keys.get(keyHash);
    return slot !== undefined && this.columns.alive[slot] === 1 ? slot : undefined;
  }

  /** The slot of this very version while it is the live one. */
  slotOfRow(keyHash: string, rowId: number): number | undefined {
    const slot = this.slotOf(keyHash);
    return slot !== undefined && this.columns.numbers.rowId[slot] === rowId ? slot : undefined;
  }

  facetsOf(slot: number): RowFacets {
    return JSON.parse(this.columns.facets.at(slot)) as RowFacets;
  }

  /** Live rows whose vector is still to come. */
  get pendingCount(): number {
    return this.vectors?.pendingCount ?? 0;
  }

  /** Whether rows are to be written anew: they have no vector yet, or are another generation's. */
  get isBehind(): boolean {
    return this.pendingCount > 0 || this.#generations.outdatedCount > 0;
  }

  /** Whether a row is still to be embedded anew: vectors would put those whose turn has come before the others. */
  get isBeingEmbeddedAnew(): boolean {
    return this.#generations.foreignCount > 0;
  }

  /** Up to `max` rows that are to be written anew, from this slot on. */
  pendingRows(max: number, from = 0): FoundRow[] {
    const isPending = (slot: number) => this.vectors?.isPending(slot) || this.#generations.isOutdated(slot);
    return rowsThat(this, isPending, max, from);
  }

  /** Up to `max` rows whose terms are another analyzer's, from this slot on. Right after loading. */
  unanalysedRows(max: number, from: number): FoundRow[] {
    return rowsThat(this, (slot) => this.#generations.hasOldTerms(slot), max, from);
  }

  /** Terms of a row that came with another analyzer's. */
  setTerms(slot: number, terms: Uint32Array): void {
    this.#waiting.set(slot, terms);
  }

  /** Takes in a version; one that is not the latest of its key changes nothing, so adding twice does not either. */
  add(row: Row): void {
    if (this.isSparse) this.#rebuild();
    const replaced = this.slotOf(row.keyHash);
    if (replaced !== undefined && !supersedes(row, this.#versionAt(replaced))) return;
    const slot = this.columns.append(row);
    this.#enliven(slot);
    this.vectors?.add(slot, row.embedder, row.vector);
    this.#generations.add(slot, row);
    this.#waiting.push(this.#generations.hasOldTerms(slot) ? null : row.terms);
    if (replaced !== undefined) {
      this.columns.accessed[slot] = this.columns.accessed[replaced]!;
      this.#kill(replaced);
    }
    this.keys.set(row.keyHash, slot);
  }

  /** Room for so many rows in all. */
  reserve(count: number): void {
    this.columns.reserve(count);
    this.keys.reserve(count);
    this.vectors?.reserve(count);
  }

  /**
   * Takes in a batch of rows from storage, where several versions of a key may stand. All get a slot at once, for
   * speed; those that are `gone` since, and all but the latest of a key, are dead. Before any `add`.
   */
  load(rows: RowColumns, gone: ReadonlySet<number>): void {
    const first = this.columns.appendAll(rows);
    this.keys.addAll(rows.keyHashes, first);
    this.vectors?.addAll(first, rows);
    this.#generations.addAll(first, rows);
    this.#waiting.pushAll(rows.termBytes, rows.termOffsets);
    let areAnalysed = true;
    for (let slot = first; slot < first + rows.count; slot++) {
      this.#enliven(slot);
      if (!this.#generations.hasOldTerms(slot)) continue;
      this.#waiting.drop(slot);
      areAnalysed = false;
    }
    for (let slot = first; slot < first + rows.count; slot++) {
      if (gone.has(this.columns.numbers.rowId[slot]!)) this.#kill(slot);
      else this.#claimKey(slot);
    }
    // Now there is time, as the next batch is being read. Rows without terms, and those behind them, are counted later.
    if (areAnalysed && this.#statistics.upTo === first) this.#countTerms(this.columns.count);
  }

  /** Takes away a version if it is the live one of its key. */
  remove(keyHash: string, rowId: number): RemovedRow | undefined {
    const slot = this.slotOfRow(keyHash, rowId);
    return slot === undefined ? undefined : this.#take(slot);
  }

  /**
   * Takes away what has expired by `now`, up to `rowsMax`. Until then expired rows are still counted: call this before
   * any read.
   */
  expire(now: number, rowsMax = Number.POSITIVE_INFINITY): RemovedRow[] {
    if (now < this.nextExpiry) return [];
    const { alive, numbers, count } = this.columns;
    const { expiresAt } = numbers;
    const expired: RemovedRow[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (let slot = 0; slot < count; slot++) {
      const at = expiresAt[slot]!;
      if (alive[slot] === 0 || at === 0) continue;
      if (at > now) next = Math.min(next, at);
      else if (expired.push(this.#take(slot)) === rowsMax) return expired;
    }
    this.nextExpiry = next;
    return expired;
  }

  /** One byte a slot, 1 for live rows that pass. Valid until the next mutation, and not to be changed. */
  select(prepared: PreparedFilter): Uint8Array {
    const { alive, count } = this.columns;
    bringUpToDate(this, [...prepared.indexesIn(this.#attributes).values()]);
    const mark = (bitmap: Uint8Array, leaf: FilterLeaf) => prepared.mark(bitmap, leaf);
    const selected = selectSlots({ columns: this.columns, keys: this.keys, mark }, prepared.filter);
    if (selected === undefined) return alive.subarray(0, count);
    for (let slot = 0; slot < count; slot++) selected[slot]! &= alive[slot]!;
    return selected;
  }

  /**
   * Makes up to `rowsMax` rows more ready for a request, and tells whether all are. Words may then still have to be
   * looked for in the rows themselves: see `indexSome`.
   */
  prepareSome({ words, filter }: LookNeeds, rowsMax: number): boolean {
    const { bodyBytes, facets, count } = this.columns;
    if (words) this.#countTerms(this.#stepEnd(this.#statistics.upTo, rowsMax, (slot) => bodyBytes[slot]!));
    const facetsEnd = (from: number) => this.#stepEnd(from, rowsMax, (slot) => facets.sizeAt(slot));
    if (!bringUpToDate(this, [...filter.indexesIn(this.#attributes).values()], facetsEnd)) return false;
    return filter.scanSome(STEP_UNITS) && !(words && this.#statistics.upTo < count);
  }

  /** Behind so many rows, or fewer where what is read of them is much. */
  #stepEnd(from: number, rowsMax: number, sizeOf: (slot: number) => number): number {
    const last = Math.min(this.columns.count, from + rowsMax);
    let [end, size] = [from, 0];
    while (end < last && size < STEP_BYTES) size += sizeOf(end++);
    return end;
  }

  /** The index of a field, if one was asked for lately. */
  attribute(field: string): FieldIndex | undefined {
    return this.#attributes.field(field);
  }

  /** Slots whose words are not indexed yet. */
  get unindexedCount(): number {
    return this.columns.count - this.#terms.upTo;
  }

  /**
   * Encodes the vectors of up to `rowsMax` rows more, which takes the least and helps a query the most, or else indexes
   * their words. Tells whether all is done.
   */
  indexSome(rowsMax: number): boolean {
    const { count } = this.columns;
    if (this.vectors?.encodeSome(count, rowsMax) === false) return false;
    this.#indexTerms(Math.min(count, this.#terms.upTo + rowsMax));
    return this.#terms.upTo === count;
  }

  /**
   * The live rows of each of these groups, as slots in ascending order: from the attribute index where there is one,
   * else by one look at all rows, which costs less than to build it.
   */
  slotsOfGroups(groups: ReadonlySet<string>): Map<string, Uint32Array> {
    const { alive, count } = this.columns;
    const index = this.attribute("group");
    if (index === undefined || index.upTo < count) return slotsByGroup(this.columns, groups);
    const live = (slots: Uint32Array) => slots.filter((slot) => alive[slot] === 1);
    return new Map([...groups].map((group) => [group, live(index.slotsOf(group))]));
  }

  /** What the ranker sees, for a query of terms with these hashes. */
  corpus(hashes: readonly number[]): RankCorpus {
    const { columns, vectors } = this;
    this.#countTerms(columns.count);
    const { lengths, lengthTotal, groups, hasGroups } = this.#statistics;
    const waiting = this.#terms.upTo < columns.count ? this.#waiting.find(hashes) : undefined;
    return {
      slotCount: columns.count,
      alive: columns.alive,
      liveCount: this.liveCount,
      lengths,
      lengthTotal,
      groups,
      hasGroups,
      postings: (hash) => joinPostings(this.#terms.postings(hash), waiting?.get(hash >>> 0)),
      ...(vectors === undefined ? {} : { vectors: vectors.column(columns.count) }),
    };
  }

  /**
   * Leaves nothing of the rows that are dead when it begins, in any index, and looks through about `stepSize`
   * postings at each step; a partition that is mostly dead is built anew at once, under other slots.
   */
  *clearDead(stepSize: number): Generator<void> {
    const { columns } = this;
    if (columns.count - this.liveCount >= this.liveCount) return this.#rebuild();
    for (let slot = 0; slot < columns.count; slot++) if (columns.alive[slot] === 0) this.keys.clear(slot);
    this.#statistics.keepAlive(columns.alive);
    yield* this.#attributes.keepAlive(columns, stepSize);
    // Built anew meanwhile, it holds nothing of them.
    if (columns === this.columns) yield* this.#terms.keepAlive(columns, stepSize);
  }

  /** Bytes in RAM, roughly. */
  get sizeBytes(): number {
    const words = this.#statistics.sizeBytes + this.#terms.sizeBytes;
    const indexes = words + this.#attributes.sizeBytes + this.keys.sizeBytes;
    const rows = this.columns.sizeBytes + this.facetBytes + this.#waiting.sizeBytes;
    return BASE_BYTES + indexes + rows + (this.vectors?.sizeBytes ?? 0) + this.#generations.sizeBytes;
  }

  /** What its live rows take of that: neither dead ones nor room for more. */
  get liveBytes(): number {
    return BASE_BYTES + Math.ceil((this.sizeBytes - BASE_BYTES) * (this.liveCount / this.columns.capacity));
  }

  /** Most slots are dead, and more than a few: the live ones had better move together. */
  get isSparse(): boolean {
    const dead = this.columns.count - this.liveCount;
    return dead >= REBUILD_DEAD_MIN && dead >= this.liveCount;
  }

  /** Of two versions of a key, the later one lives. */
  #claimKey(slot: number): void {
    const former = this.keys.claim(slot);
    if (former === undefined) return;
    const isLater = supersedes(this.#versionAt(slot), this.#versionAt(former));
    if (isLater) this.keys.replace(slot);
    this.#kill(isLater ? former : slot);
  }

  #versionAt(slot: number): { revision: number; rowId: number } {
    return { revision: this.columns.numbers.revision[slot]!, rowId: this.columns.numbers.rowId[slot]! };
  }

  /** Counts in a slot that was appended. */
  #enliven(slot: number): void {
    const { columns } = this;
    this.liveCount++;
    this.facetBytes += facetBytes(columns, slot);
    this.lastRevision = Math.max(this.lastRevision, columns.numbers.revision[slot]!);
    const expiresAt = columns.numbers.expiresAt[slot]!;
    if (expiresAt > 0 && expiresAt < this.nextExpiry) this.nextExpiry = expiresAt;
  }

  #take(slot: number): RemovedRow {
    const removed = removedRow(this, slot);
    this.keys.delete(slot);
    this.#kill(slot);
    return removed;
  }

  #kill(slot: number): void {
    const { columns } = this;
    columns.alive[slot] = 0;
    this.liveCount--;
    this.facetBytes -= facetBytes(columns, slot);
    this.#statistics.drop(slot);
    if (slot >= this.#terms.upTo) this.#waiting.drop(slot);
    this.vectors?.drop(slot);
    this.#generations.drop(slot);
    columns.facets.clear(slot);
    columns.groups[slot] = "";
  }

  #indexTerms(end: number): void {
    if (end === this.#terms.upTo) return;
    this.#countTerms(end);
    this.#terms.expect(this.#waiting.termCount);
    const added: SlotTerms[] = [];
    for (let slot = this.#terms.upTo; slot < end; slot++) {
      if (this.columns.alive[slot] === 1) added.push(this.#waiting.get(slot)!);
    }
    this.#terms.addAll(added, end);
    this.#waiting.dropBelow(end, added);
    if (end === this.columns.count) this.#waiting = new WaitingTerms(end);
  }

  /** Analyses rows that came without terms. */
  #countTerms(end: number): void {
    const { alive, groups } = this.columns;
    for (let slot = this.#statistics.upTo; slot < end; slot++) {
      if (alive[slot] === 1) this.#statistics.add(slot, this.#termsAt(slot), groups[slot]!);
    }
    this.#statistics.upTo = Math.max(this.#statistics.upTo, end);
  }

  #termsAt(slot: number): TermRange {
    const { rowId, occurredAt } = this.columns.numbers;
    const waiting = this.#waiting.get(slot);
    if (waiting !== undefined) return waiting;
    this.#waiting.set(slot, this.#options.termsOf(rowId[slot]!, this.facetsOf(slot), occurredAt[slot]!));
    return this.#waiting.get(slot)!;
  }

  #rebuild(): void {
    const { columns } = this;
    const kept = columns.live(this.liveCount);
    const keys = new KeyIndex();
    keys.reserve(kept.length);
    for (const [slot, former] of kept.entries()) keys.setFrom(this.keys, former, slot);
    const waiting = kept.subarray(kept.findLastIndex((slot) => slot < this.#terms.upTo) + 1);
    this.#statistics.remap(kept);
    this.#terms.remap(kept, columns.count);
    this.#waiting = this.#waiting.remap(waiting, this.#terms.upTo);
    this.vectors?.remap(kept);
    this.#generations.remap(kept);
    this.columns = columns.remap(kept);
    this.keys = keys;
    this.#attributes = new AttributeIndex();
  }
}

function facetBytes({ facets }: SlotColumns, slot: number): number {
  return facets.sizeAt(slot) + 64;
}
