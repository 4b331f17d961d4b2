import type { FilterLeaf } from "@membus/protocol";
import { type Row, type RowFacets, supersedes } from "../../row.js";
import type { RowColumns } from "../../storage.js";
import type { RankCorpus } from "../rank/index.js";
import { AttributeIndex, updateIndexes } from "./attribute-index.js";
import type { FieldIndex } from "./field-index.js";
import { type FoundRow, findRows } from "./find-rows.js";
import { Generations } from "./generations.js";
import { KeyIndex } from "./key-index.js";
import type { PreparedFilter, ScanInputs } from "./prepared-filter.js";
import { type RemovedRow, removedRow } from "./removed-row.js";
import { selectSlots } from "./select.js";
import { SlotColumns } from "./slot-columns.js";
import { slotsByGroup } from "./slots-by-group.js";
import { joinPostings, TermIndex } from "./term-index.js";
import { TermStatistics } from "./term-statistics.js";
import { type SlotTerms, type TermRange, UnindexedTerms } from "./unindexed-terms.js";
import { Vectors } from "./vectors.js";

const REBUILD_DEAD_MIN = 32;
/** Measured size of an empty partition with its surrounding objects. Bytes. */
const BASE_BYTES = 4_096;
/** Bodies analysed, or facets indexed, in one step. It takes some milliseconds. Bytes. */
const STEP_BYTES = 16_384;
/** Values that a filter scans in one step, at most a millisecond. UTF-16 units. */
const STEP_UNITS = 16_384;

export interface PartitionOptions {
  /** Embedder of the kept vectors. Absent if the tier has no similarity. */
  readonly embedder?: { readonly id: string; readonly dimensions: number };
  /** Id of the analyzer. Terms of others are not used. */
  readonly analyzer?: string;
  /** Limit of the vectors in RAM, if a storage can be searched for others. Bytes. */
  readonly residentVectorBytesMax?: number;
  /** Returns the terms of a row that came without them. */
  termsOf(rowId: number, facets: RowFacets, occurredAt: number): Uint32Array;
}

/**
 * One scope in RAM: the current versions, statistics and indexes, without bodies. Slots are valid until the
 * next mutation. Attributes are indexed at first use, words in the background. Until then queries scan terms.
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
  #unindexed = new UnindexedTerms(0);
  /** Bytes of the facets of live rows. */
  facetBytes = 0;
  /** No live row expires before this. Infinity if none expires. */
  nextExpiry = Number.POSITIVE_INFINITY;

  constructor(options: PartitionOptions) {
    this.#options = options;
    const { embedder, analyzer, residentVectorBytesMax: max } = options;
    if (embedder !== undefined) this.vectors = new Vectors(embedder.id, embedder.dimensions, max);
    this.#generations = new Generations(embedder?.id, analyzer);
  }

  /** Returns the slot of the live version of a key. */
  slotOf(keyHash: string): number | undefined {
    const slot = this.keys.get(keyHash);
    return slot !== undefined && this.columns.alive[slot] === 1 ? slot : undefined;
  }

  /** Returns the slot of this version if it is the live one. */
  slotOfRow(keyHash: string, rowId: number): number | undefined {
    const slot = this.slotOf(keyHash);
    return slot !== undefined && this.columns.numbers.rowId[slot] === rowId ? slot : undefined;
  }

  facetsOf(slot: number): RowFacets {
    return JSON.parse(this.columns.facets.at(slot)) as RowFacets;
  }

  /** Number of live rows without a vector yet. */
  get pendingCount(): number {
    return this.vectors?.pendingCount ?? 0;
  }

  /** Whether rows must be rewritten, because they have no vector yet or are of another generation. */
  get hasPendingRows(): boolean {
    return this.pendingCount > 0 || this.#generations.outdatedCount > 0;
  }

  /** Whether rows still have another embedder's vector. Vector searches would rank them after other rows. */
  get isReembedding(): boolean {
    return this.#generations.otherEmbedderCount > 0;
  }

  /** Returns up to `max` rows that must be rewritten, from this slot on. */
  pendingRows(max: number, from = 0): FoundRow[] {
    const isPending = (slot: number) => this.vectors?.isPending(slot) || this.#generations.isOutdated(slot);
    return findRows(this, isPending, max, from);
  }

  /**
   * Returns up to `max` rows with another analyzer's terms, from this slot on. Call it right after loading.
   */
  rowsToReanalyse(max: number, from: number): FoundRow[] {
    return findRows(this, (slot) => this.#generations.hasOldTerms(slot), max, from);
  }

  /** Sets the terms of a row that came with another analyzer's terms. */
  setTerms(slot: number, terms: Uint32Array): void {
    this.#unindexed.set(slot, terms);
  }

  /** Adds a version. It is ignored unless it is the latest of its key, so adding twice is idempotent. */
  add(row: Row): void {
    if (this.isSparse) this.#rebuild();
    const replaced = this.slotOf(row.keyHash);
    if (replaced !== undefined && !supersedes(row, this.#versionAt(replaced))) return;
    const slot = this.columns.append(row);
    this.#countLive(slot);
    this.vectors?.add(slot, row.embedder, row.vector);
    this.#generations.add(slot, row);
    this.#unindexed.push(this.#generations.hasOldTerms(slot) ? null : row.terms);
    if (replaced !== undefined) {
      this.columns.accessed[slot] = this.columns.accessed[replaced]!;
      this.#markDead(replaced);
    }
    this.keys.set(row.keyHash, slot);
  }

  /** Reserves space for this number of rows in total. */
  reserve(count: number): void {
    this.columns.reserve(count);
    this.keys.reserve(count);
    this.vectors?.reserve(count);
  }

  /**
   * Adds a batch of rows from storage, which may contain several versions of a key. For speed all rows get a
   * slot at once. Rows in `removed`, and all but the latest version of a key, are dead. Call it before any
   * `add`.
   */
  load(rows: RowColumns, removed: ReadonlySet<number>): void {
    const first = this.columns.appendAll(rows);
    this.keys.addAll(rows.keyHashes, first);
    this.vectors?.addAll(first, rows);
    this.#generations.addAll(first, rows);
    this.#unindexed.pushAll(rows.termBytes, rows.termOffsets);
    let areAnalysed = true;
    for (let slot = first; slot < first + rows.count; slot++) {
      this.#countLive(slot);
      if (!this.#generations.hasOldTerms(slot)) continue;
      this.#unindexed.drop(slot);
      areAnalysed = false;
    }
    for (let slot = first; slot < first + rows.count; slot++) {
      if (removed.has(this.columns.numbers.rowId[slot]!)) this.#markDead(slot);
      else this.#claimKey(slot);
    }
    // Counts during the read of the next batch. Rows from the first one without terms on are counted later.
    if (areAnalysed && this.#statistics.upTo === first) this.#countTerms(this.columns.count);
  }

  /** Removes a version if it is the live one of its key. */
  remove(keyHash: string, rowId: number): RemovedRow | undefined {
    const slot = this.slotOfRow(keyHash, rowId);
    return slot === undefined ? undefined : this.#removeSlot(slot);
  }

  /** Removes up to `rowsMax` rows that expired by `now`. Call it before any read, because reads count them. */
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
      else if (expired.push(this.#removeSlot(slot)) === rowsMax) return expired;
    }
    this.nextExpiry = next;
    return expired;
  }

  /** Returns a read-only bitmap, 1 for live slots that pass the filter. Valid until the next mutation. */
  select(prepared: PreparedFilter): Uint8Array {
    const { alive, count } = this.columns;
    updateIndexes(this, [...prepared.indexesIn(this.#attributes).values()]);
    const mark = (bitmap: Uint8Array, leaf: FilterLeaf) => prepared.mark(bitmap, leaf);
    const selected = selectSlots({ columns: this.columns, keys: this.keys, mark }, prepared.filter);
    if (selected === undefined) return alive.subarray(0, count);
    for (let slot = 0; slot < count; slot++) selected[slot]! &= alive[slot]!;
    return selected;
  }

  /**
   * Prepares up to `rowsMax` more rows for a request and returns whether all are prepared. The words may
   * still be unindexed, see `indexSome`.
   */
  prepareSome({ words, filter }: ScanInputs, rowsMax: number): boolean {
    const { bodyBytes, facets, count } = this.columns;
    if (words) this.#countTerms(this.#stepEnd(this.#statistics.upTo, rowsMax, (slot) => bodyBytes[slot]!));
    const facetsEnd = (from: number) => this.#stepEnd(from, rowsMax, (slot) => facets.sizeAt(slot));
    if (!updateIndexes(this, [...filter.indexesIn(this.#attributes).values()], facetsEnd)) return false;
    return filter.scanSome(STEP_UNITS) && !(words && this.#statistics.upTo < count);
  }

  /** Returns the end of a step: after `rowsMax` rows, or earlier if the rows are large. */
  #stepEnd(from: number, rowsMax: number, sizeOf: (slot: number) => number): number {
    const last = Math.min(this.columns.count, from + rowsMax);
    let [end, size] = [from, 0];
    while (end < last && size < STEP_BYTES) size += sizeOf(end++);
    return end;
  }

  /** Returns the index of a field that was used recently. */
  attribute(field: string): FieldIndex | undefined {
    return this.#attributes.field(field);
  }

  /** Number of slots without indexed words. */
  get unindexedCount(): number {
    return this.columns.count - this.#terms.upTo;
  }

  /**
   * Encodes the vectors of up to `rowsMax` more rows, which is cheap and helps queries most, or else indexes
   * their words. Returns whether all is done.
   */
  indexSome(rowsMax: number): boolean {
    const { count } = this.columns;
    if (this.vectors?.encodeSome(count, rowsMax) === false) return false;
    if (!this.#terms.mergeSome(this.columns)) return false;
    this.#indexTerms(Math.min(count, this.#terms.upTo + rowsMax));
    return this.#terms.upTo === count && this.#terms.isMerged;
  }

  /**
   * Returns the live rows of each of these groups, as slots in ascending order, from the attribute index if it
   * exists. Otherwise it scans all rows once, which costs less than building the index.
   */
  slotsOfGroups(groups: ReadonlySet<string>): Map<string, Uint32Array> {
    const { alive, count } = this.columns;
    const index = this.attribute("group");
    if (index === undefined || index.upTo < count) return slotsByGroup(this.columns, groups);
    const live = (slots: Uint32Array) => slots.filter((slot) => alive[slot] === 1);
    return new Map([...groups].map((group) => [group, live(index.slotsOf(group))]));
  }

  /** Returns the ranking data for a query: its term hashes, and the slots' similarities if no vectors are in RAM. */
  corpus(hashes: readonly number[], similarities?: Float64Array): RankCorpus {
    const { columns, vectors } = this;
    this.#countTerms(columns.count);
    const { lengths, contextShares, lengthTotal, groups, hasGroups } = this.#statistics;
    const indexed = this.#terms.find(hashes);
    const unindexed = this.#terms.upTo < columns.count ? this.#unindexed.find(hashes) : undefined;
    return {
      slotCount: columns.count,
      alive: columns.alive,
      liveCount: this.liveCount,
      lengths,
      contextShares,
      lengthTotal,
      groups,
      hasGroups,
      postings: (hash) => joinPostings(indexed.get(hash >>> 0), unindexed?.get(hash >>> 0)),
      ...(vectors === undefined ? {} : { vectors: vectors.column(columns.count, similarities) }),
    };
  }

  /**
   * Erases the rows that are dead at the start from all indexes, with about `stepSize` postings per step. A
   * mostly dead partition is rebuilt at once with new slots.
   */
  *clearDead(stepSize: number): Generator<void> {
    const { columns } = this;
    if (columns.count - this.liveCount >= this.liveCount) return this.#rebuild();
    for (let slot = 0; slot < columns.count; slot++) if (columns.alive[slot] === 0) this.keys.clear(slot);
    this.#statistics.dropUnusedGroups(columns.alive);
    yield* this.#attributes.removeDead(columns, stepSize);
    // After a concurrent rebuild, the index has no dead rows.
    if (columns === this.columns) yield* this.#terms.removeDead(columns, stepSize);
  }

  /** Approximate size in RAM. Bytes. */
  get sizeBytes(): number {
    const words = this.#statistics.sizeBytes + this.#terms.sizeBytes;
    const indexes = words + this.#attributes.sizeBytes + this.keys.sizeBytes;
    const rows = this.columns.sizeBytes + this.facetBytes + this.#unindexed.sizeBytes;
    return BASE_BYTES + indexes + rows + (this.vectors?.sizeBytes ?? 0) + this.#generations.sizeBytes;
  }

  /** Share of `sizeBytes` for live rows, without dead rows and reserved space. */
  get liveBytes(): number {
    return BASE_BYTES + Math.ceil((this.sizeBytes - BASE_BYTES) * (this.liveCount / this.columns.capacity));
  }

  /** Whether at least half of the slots, and more than a few, are dead, so that a rebuild is worthwhile. */
  get isSparse(): boolean {
    const dead = this.columns.count - this.liveCount;
    return dead >= REBUILD_DEAD_MIN && dead >= this.liveCount;
  }

  /** Keeps the later of two versions of a key. */
  #claimKey(slot: number): void {
    const former = this.keys.claim(slot);
    if (former === undefined) return;
    const isLater = supersedes(this.#versionAt(slot), this.#versionAt(former));
    if (isLater) this.keys.replace(slot);
    this.#markDead(isLater ? former : slot);
  }

  #versionAt(slot: number): { revision: number; rowId: number } {
    return { revision: this.columns.numbers.revision[slot]!, rowId: this.columns.numbers.rowId[slot]! };
  }

  /** Counts an appended slot. */
  #countLive(slot: number): void {
    const { columns } = this;
    this.liveCount++;
    this.facetBytes += columns.facets.bytesAt(slot);
    this.lastRevision = Math.max(this.lastRevision, columns.numbers.revision[slot]!);
    const expiresAt = columns.numbers.expiresAt[slot]!;
    if (expiresAt > 0 && expiresAt < this.nextExpiry) this.nextExpiry = expiresAt;
  }

  #removeSlot(slot: number): RemovedRow {
    const removed = removedRow(this, slot);
    this.keys.delete(slot);
    this.#markDead(slot);
    return removed;
  }

  #markDead(slot: number): void {
    const { columns } = this;
    columns.alive[slot] = 0;
    this.liveCount--;
    this.facetBytes -= columns.facets.bytesAt(slot);
    this.#statistics.drop(slot);
    if (slot >= this.#terms.upTo) this.#unindexed.drop(slot);
    this.vectors?.drop(slot);
    this.#generations.drop(slot);
    columns.facets.clear(slot);
    columns.groups[slot] = "";
  }

  #indexTerms(end: number): void {
    if (end === this.#terms.upTo) return;
    this.#countTerms(end);
    const added: SlotTerms[] = [];
    for (let slot = this.#terms.upTo; slot < end; slot++) {
      if (this.columns.alive[slot] === 1) added.push(this.#unindexed.get(slot)!);
    }
    this.#terms.addAll(added, end);
    this.#unindexed.dropBelow(end, added);
    if (end === this.columns.count) this.#unindexed = new UnindexedTerms(end);
  }

  /** Counts the terms up to `end`, and analyses rows that came without terms. */
  #countTerms(end: number): void {
    const { alive, groups } = this.columns;
    for (let slot = this.#statistics.upTo; slot < end; slot++) {
      if (alive[slot] === 1) this.#statistics.add(slot, this.#termsAt(slot), groups[slot]!);
    }
    this.#statistics.upTo = Math.max(this.#statistics.upTo, end);
  }

  #termsAt(slot: number): TermRange {
    const { rowId, occurredAt } = this.columns.numbers;
    const unindexed = this.#unindexed.get(slot);
    if (unindexed !== undefined) return unindexed;
    this.#unindexed.set(slot, this.#options.termsOf(rowId[slot]!, this.facetsOf(slot), occurredAt[slot]!));
    return this.#unindexed.get(slot)!;
  }

  #rebuild(): void {
    const { columns } = this;
    const kept = columns.live(this.liveCount);
    const keys = new KeyIndex();
    keys.reserve(kept.length);
    for (const [slot, former] of kept.entries()) keys.setFrom(this.keys, former, slot);
    const unindexed = kept.subarray(kept.findLastIndex((slot) => slot < this.#terms.upTo) + 1);
    this.#statistics.remap(kept);
    this.#terms.remap(kept, columns.count);
    this.#unindexed = this.#unindexed.remap(unindexed, this.#terms.upTo);
    this.vectors?.remap(kept);
    this.#generations.remap(kept);
    this.columns = columns.remap(kept);
    this.keys = keys;
    this.#attributes = new AttributeIndex();
  }
}
