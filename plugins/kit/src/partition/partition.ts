import type { Filter } from "@membus/protocol";
import type { RankCorpus } from "../rank/index.js";
import { type Row, type RowFacets, supersedes } from "../row.js";
import type { RowColumns } from "../storage.js";
import { AttributeIndex } from "./attribute-index.js";
import { KeyIndex } from "./key-index.js";
import { selectSlots } from "./select.js";
import { SlotColumns } from "./slot-columns.js";
import { TermIndex } from "./term-index.js";
import { Vectors } from "./vectors.js";

const REBUILD_DEAD_MIN = 1_024;
/** What an empty partition takes, measured. */
const BASE_BYTES = 8_192;

export interface PartitionOptions {
  /** Whose vectors are kept; absent when the tier has no similarity. */
  readonly embedder?: { readonly id: string; readonly dimensions: number };
  /** Terms of a row that came without them. */
  termsOf(rowId: number, facets: RowFacets, occurredAt: number): Uint32Array;
}

/** A version that left the partition, with what its event tells. */
export interface RemovedRow {
  readonly keyHash: string;
  readonly rowId: number;
  readonly revision: number;
  readonly group: string;
  readonly facets: string;
}

/** A live row whose vector is still to come. */
export interface PendingRow {
  readonly slot: number;
  readonly keyHash: string;
  readonly rowId: number;
}

/** Which indexes a request needs. */
export interface IndexNeeds {
  readonly words: boolean;
  readonly attributes: boolean;
}

/**
 * One scope in RAM: the current version of every entry, its statistics and indexes; bodies live elsewhere.
 * Slots are valid until the next mutation. Words and attributes are indexed when a request first needs them.
 */
export class Partition {
  columns = new SlotColumns();
  keys = new KeyIndex();
  readonly vectors: Vectors | undefined;
  liveCount = 0;
  lastRevision = 0;
  readonly #options: PartitionOptions;
  readonly #terms = new TermIndex();
  #attributes = new AttributeIndex();
  /** Terms of slots that are not indexed yet; null for dead ones, and for rows that came without. */
  #waitingTerms: (Uint32Array | null)[] = [];
  /** The slot of the first of them. */
  #waitingFrom = 0;
  #waitingBytes = 0;
  #lengthTotal = 0;
  #textBytes = 0;
  /** No live row expires before this. */
  #nextExpiry = Number.POSITIVE_INFINITY;

  constructor(options: PartitionOptions) {
    this.#options = options;
    const { embedder } = options;
    if (embedder !== undefined) this.vectors = new Vectors(embedder.id, embedder.dimensions);
  }

  /** The slot of the live version of a key. */
  slotOf(keyHash: string): number | undefined {
    const slot = this.keys.get(keyHash);
    return slot !== undefined && this.columns.alive[slot] === 1 ? slot : undefined;
  }

  /** The slot of this very version while it is the live one. */
  slotOfRow(keyHash: string, rowId: number): number | undefined {
    const slot = this.slotOf(keyHash);
    return slot !== undefined && this.columns.rowIds[slot] === rowId ? slot : undefined;
  }

  facetsOf(slot: number): RowFacets {
    return JSON.parse(this.columns.facets[slot]!) as RowFacets;
  }

  /** Live rows whose vector is still to come. */
  get pendingCount(): number {
    return this.vectors?.pendingCount ?? 0;
  }

  /** Up to `max` of them, from this slot on. */
  pendingRows(max: number, from = 0): PendingRow[] {
    const { columns, keys, vectors } = this;
    const rows: PendingRow[] = [];
    for (let slot = from; slot < columns.count && rows.length < max; slot++) {
      if (columns.alive[slot] === 0 || !vectors?.isPending(slot)) continue;
      rows.push({ slot, keyHash: keys.hashOf(slot), rowId: columns.rowIds[slot]! });
    }
    return rows;
  }

  /** Takes in a version; one that is not the latest of its key changes nothing, so adding twice does not either. */
  add(row: Row): void {
    this.#rebuildIfSparse();
    const replaced = this.slotOf(row.keyHash);
    if (replaced !== undefined && !supersedes(row, this.#versionAt(replaced))) return;
    const slot = this.columns.append(row);
    this.#enliven(slot, row.terms);
    this.vectors?.add(slot, row.embedder, row.vector);
    if (replaced !== undefined) {
      this.columns.accessed[slot] = this.columns.accessed[replaced]!;
      this.#kill(replaced);
    }
    this.keys.set(row.keyHash, slot);
  }

  /**
   * Takes in rows from storage, where several versions of a key may stand, leaving out those that are `gone` since.
   * For an empty partition, which may take them in several ranges.
   */
  load(
    rows: RowColumns,
    { from, to }: { readonly from: number; readonly to: number },
    gone: ReadonlySet<number>,
  ): void {
    this.columns.reserve(rows.count);
    this.keys.reserve(rows.count);
    this.vectors?.reserve(rows.count);
    let runFrom = from;
    for (let index = from; index < to; index++) {
      if (this.#loadRow(rows, index, gone)) continue;
      this.#loadVectors(rows, runFrom, index);
      runFrom = index + 1;
    }
    this.#loadVectors(rows, runFrom, to);
  }

  /** Takes away a version if it is the live one of its key. */
  remove(keyHash: string, rowId: number): RemovedRow | undefined {
    const slot = this.slotOfRow(keyHash, rowId);
    return slot === undefined ? undefined : this.#take(slot);
  }

  /** Takes away what has expired by `now`. Until then expired rows are still counted: call this before any read. */
  expire(now: number): RemovedRow[] {
    if (now < this.#nextExpiry) return [];
    const { alive, expiresAt, count } = this.columns;
    const expired: RemovedRow[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (let slot = 0; slot < count; slot++) {
      const at = expiresAt[slot]!;
      if (alive[slot] === 0 || at === 0) continue;
      if (at <= now) expired.push(this.#take(slot));
      else if (at < next) next = at;
    }
    this.#nextExpiry = next;
    return expired;
  }

  /** One byte a slot, 1 for live rows that pass. */
  select(filter: Filter): Uint8Array {
    const { alive, count } = this.columns;
    const selected = selectSlots(this, filter);
    if (selected === undefined) return alive.slice(0, count);
    for (let slot = 0; slot < count; slot++) selected[slot]! &= alive[slot]!;
    return selected;
  }

  /** Indexes up to `rowsMax` rows more, and tells whether nothing is left of what is needed. */
  indexSome({ words, attributes }: IndexNeeds, rowsMax: number): boolean {
    const { count } = this.columns;
    if (words) this.#indexTerms(Math.min(count, this.#terms.upTo + rowsMax));
    if (attributes) this.#indexAttributes(Math.min(count, this.#attributes.upTo + rowsMax));
    return !(words && this.#terms.upTo < count) && !(attributes && this.#attributes.upTo < count);
  }

  /** The attribute index, up to date. */
  attributes(): AttributeIndex {
    this.#indexAttributes(this.columns.count);
    return this.#attributes;
  }

  /** What the ranker sees, with every row's words indexed. */
  corpus(): RankCorpus {
    const { columns, vectors } = this;
    this.#indexTerms(columns.count);
    return {
      slotCount: columns.count,
      alive: columns.alive,
      liveCount: this.liveCount,
      lengths: this.#terms.lengths,
      lengthTotal: this.#lengthTotal,
      groups: this.#terms.groups,
      postings: (hash) => this.#terms.postings(hash),
      ...(vectors === undefined ? {} : { vectors }),
    };
  }

  /** Leaves nothing of dead rows, in any index. Slots change. */
  compact(): void {
    if (this.columns.count > this.liveCount) this.#rebuild();
  }

  /** Bytes in RAM, roughly. */
  get sizeBytes(): number {
    const indexes = this.#terms.sizeBytes + this.#attributes.sizeBytes + this.keys.sizeBytes;
    const rows = this.columns.sizeBytes + this.#textBytes + this.#waitingBytes;
    return BASE_BYTES + indexes + rows + (this.vectors?.sizeBytes ?? 0);
  }

  /** Whether the row is taken in: the latest of its key so far, and not gone. */
  #loadRow(rows: RowColumns, index: number, gone: ReadonlySet<number>): boolean {
    const version = { revision: rows.revisions[index]!, rowId: rows.rowIds[index]! };
    if (gone.has(version.rowId)) return false;
    const former = this.keys.getAt(rows.keyHashes, index);
    if (former !== undefined && !supersedes(version, this.#versionAt(former))) return false;
    const slot = this.columns.appendLoaded(rows, index);
    this.#enliven(slot, rows.terms(index));
    this.vectors?.addLoaded(slot, rows, index);
    if (former !== undefined) this.#kill(former);
    this.keys.setAt(rows.keyHashes, index, slot);
    return true;
  }

  /** Copies the vectors of a run of rows that were all taken in, as the last ones. */
  #loadVectors(rows: RowColumns, from: number, to: number): void {
    if (to > from) this.vectors?.copy(rows, { from, to }, this.columns.count - (to - from));
  }

  #versionAt(slot: number): { revision: number; rowId: number } {
    return { revision: this.columns.revisions[slot]!, rowId: this.columns.rowIds[slot]! };
  }

  /** Counts in a slot that was appended. */
  #enliven(slot: number, terms: Uint32Array | null): void {
    const { columns } = this;
    this.liveCount++;
    this.#textBytes += textBytes(columns.facets[slot]!);
    this.lastRevision = Math.max(this.lastRevision, columns.revisions[slot]!);
    const expiresAt = columns.expiresAt[slot]!;
    if (expiresAt > 0 && expiresAt < this.#nextExpiry) this.#nextExpiry = expiresAt;
    this.#waitingTerms.push(terms);
    if (terms !== null) this.#waitingBytes += termsBytes(terms);
  }

  #take(slot: number): RemovedRow {
    const { columns } = this;
    const removed = {
      keyHash: this.keys.hashOf(slot),
      rowId: columns.rowIds[slot]!,
      revision: columns.revisions[slot]!,
      group: columns.groups[slot]!,
      facets: columns.facets[slot]!,
    };
    this.keys.delete(slot);
    this.#kill(slot);
    return removed;
  }

  #kill(slot: number): void {
    const { columns } = this;
    columns.alive[slot] = 0;
    this.liveCount--;
    this.#textBytes -= textBytes(columns.facets[slot]!);
    if (slot < this.#terms.upTo) this.#lengthTotal -= this.#terms.lengths[slot]!;
    else this.#takeWaitingTerms(slot);
    this.vectors?.drop(slot);
    columns.facets[slot] = "";
    columns.groups[slot] = "";
  }

  #indexTerms(end: number): void {
    const { columns } = this;
    for (let slot = this.#terms.upTo; slot < end; slot++) {
      if (columns.alive[slot] === 0) this.#terms.skip(slot);
      else {
        this.#terms.add(slot, this.#termsAt(slot), columns.groups[slot]!);
        this.#lengthTotal += this.#terms.lengths[slot]!;
      }
    }
    if (end < columns.count) return;
    this.#waitingTerms = [];
    this.#waitingFrom = end;
  }

  #termsAt(slot: number): Uint32Array {
    const { columns } = this;
    const rowId = columns.rowIds[slot]!;
    return (
      this.#takeWaitingTerms(slot) ??
      this.#options.termsOf(rowId, this.facetsOf(slot), columns.occurredAt[slot]!)
    );
  }

  #takeWaitingTerms(slot: number): Uint32Array | null {
    const at = slot - this.#waitingFrom;
    const terms = this.#waitingTerms[at]!;
    if (terms !== null) this.#waitingBytes -= termsBytes(terms);
    this.#waitingTerms[at] = null;
    return terms;
  }

  #indexAttributes(end: number): void {
    const { columns } = this;
    for (let slot = this.#attributes.upTo; slot < end; slot++) {
      if (columns.alive[slot] === 1) this.#attributes.add(slot, this.facetsOf(slot), columns.groups[slot]!);
    }
    this.#attributes.upTo = Math.max(this.#attributes.upTo, end);
  }

  /** When most slots are dead, the live ones move together. */
  #rebuildIfSparse(): void {
    const dead = this.columns.count - this.liveCount;
    if (dead >= REBUILD_DEAD_MIN && dead >= this.liveCount) this.#rebuild();
  }

  #rebuild(): void {
    const { columns } = this;
    const kept = columns.live(this.liveCount);
    const keys = new KeyIndex();
    keys.reserve(kept.length);
    for (const [slot, former] of kept.entries()) keys.setFrom(this.keys, former, slot);
    const waiting = [...kept.subarray(kept.findLastIndex((slot) => slot < this.#terms.upTo) + 1)];
    this.#waitingTerms = waiting.map((slot) => this.#waitingTerms[slot - this.#waitingFrom]!);
    this.#terms.remap(kept, columns.count);
    this.#waitingFrom = this.#terms.upTo;
    this.vectors?.remap(kept);
    this.columns = columns.remap(kept);
    this.keys = keys;
    this.#attributes = new AttributeIndex();
  }
}

function textBytes(facets: string): number {
  return facets.length + 64;
}

function termsBytes(terms: Uint32Array): number {
  return 4 * terms.length + 120;
}
