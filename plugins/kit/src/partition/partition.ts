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
  #unindexedTerms = new Map<number, Uint32Array>();
  #attributes = new AttributeIndex();
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

  /** Takes in a version; one that is not the latest of its key changes nothing, so adding twice does not either. */
  add(row: Row): void {
    const former = this.slotOf(row.keyHash);
    if (former !== undefined && !supersedes(row, this.#versionAt(former))) return;
    this.#rebuildIfSparse();
    const replaced = this.slotOf(row.keyHash);
    const slot = this.#append(row);
    if (row.terms !== null) this.#unindexedTerms.set(slot, row.terms);
    this.vectors?.add(slot, row.embedder, row.vector);
    if (replaced !== undefined) {
      this.columns.accessed[slot] = this.columns.accessed[replaced]!;
      this.#kill(replaced);
    }
    this.keys.set(row.keyHash, slot);
  }

  /** Takes in rows from storage, where several versions of a key may stand; `skip` names rows that are gone since. */
  load(rows: RowColumns, skip: (rowId: number) => boolean): void {
    this.columns.reserve(rows.count);
    for (let index = 0; index < rows.count; index++) {
      const version = { revision: rows.revisions[index]!, rowId: rows.rowIds[index]! };
      if (skip(version.rowId)) continue;
      const former = this.keys.getAt(rows.keyHashes, index);
      if (former !== undefined && !supersedes(version, this.#versionAt(former))) continue;
      const slot = this.#appendLoaded(rows, index);
      if (former !== undefined) this.#kill(former);
      this.keys.setAt(rows.keyHashes, index, slot);
    }
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

  /** The attribute index, up to date. */
  attributes(): AttributeIndex {
    const { columns } = this;
    for (let slot = this.#attributes.upTo; slot < columns.count; slot++) {
      this.#attributes.add(slot, this.facetsOf(slot), columns.groups[slot]!);
    }
    return this.#attributes;
  }

  /** What the ranker sees, with every row's words indexed. */
  corpus(): RankCorpus {
    this.#indexTerms();
    const { columns, vectors } = this;
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

  /** Bytes in RAM, roughly. */
  get sizeBytes(): number {
    const perSlot = this.columns.capacity * 90;
    const indexes = this.#terms.sizeBytes + this.#attributes.sizeBytes + this.keys.sizeBytes;
    return perSlot + indexes + this.#textBytes + (this.vectors?.sizeBytes ?? 0);
  }

  #versionAt(slot: number): { revision: number; rowId: number } {
    return { revision: this.columns.revisions[slot]!, rowId: this.columns.rowIds[slot]! };
  }

  #append(row: Row): number {
    const { columns } = this;
    const slot = columns.count;
    columns.reserve(slot + 1);
    columns.rowIds[slot] = row.rowId;
    columns.revisions[slot] = row.revision;
    columns.seqs[slot] = row.seq;
    columns.created[slot] = row.created;
    columns.updated[slot] = row.updated;
    columns.occurredAt[slot] = row.occurredAt;
    columns.expiresAt[slot] = row.expiresAt;
    columns.importances[slot] = row.importance;
    columns.groups[slot] = row.group;
    columns.facets[slot] = row.facets;
    this.#enliven(slot);
    return slot;
  }

  #appendLoaded(rows: RowColumns, index: number): number {
    const { columns } = this;
    const slot = columns.count;
    columns.reserve(slot + 1);
    columns.rowIds[slot] = rows.rowIds[index]!;
    columns.revisions[slot] = rows.revisions[index]!;
    columns.seqs[slot] = rows.seqs[index]!;
    columns.created[slot] = rows.created[index]!;
    columns.updated[slot] = rows.updated[index]!;
    columns.occurredAt[slot] = rows.occurredAt[index]!;
    columns.expiresAt[slot] = rows.expiresAt[index]!;
    columns.importances[slot] = rows.importances[index]!;
    columns.groups[slot] = rows.group(index);
    columns.facets[slot] = rows.facets(index);
    this.#unindexedTerms.set(slot, rows.terms(index));
    this.#loadVector(slot, rows, index);
    this.#enliven(slot);
    return slot;
  }

  #loadVector(slot: number, rows: RowColumns, index: number): void {
    const { vectors } = this;
    if (vectors === undefined) return;
    const at = index * vectors.dimensions;
    const vector = rows.hasVector(index) ? rows.vectors.subarray(at, at + vectors.dimensions) : null;
    vectors.add(slot, rows.embedder(index), vector);
  }

  #enliven(slot: number): void {
    const { columns } = this;
    columns.count = slot + 1;
    columns.alive[slot] = 1;
    columns.accessed[slot] = columns.updated[slot]!;
    this.liveCount++;
    this.#textBytes += columns.facets[slot]!.length + 64;
    this.lastRevision = Math.max(this.lastRevision, columns.revisions[slot]!);
    const expiresAt = columns.expiresAt[slot]!;
    if (expiresAt > 0 && expiresAt < this.#nextExpiry) this.#nextExpiry = expiresAt;
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
    this.#textBytes -= columns.facets[slot]!.length + 64;
    if (slot < this.#terms.upTo) this.#lengthTotal -= this.#terms.lengths[slot]!;
    this.#unindexedTerms.delete(slot);
    this.vectors?.drop(slot);
    columns.facets[slot] = "{}";
  }

  #indexTerms(): void {
    const { columns } = this;
    for (let slot = this.#terms.upTo; slot < columns.count; slot++) {
      const live = columns.alive[slot] === 1;
      this.#terms.add(slot, live ? this.#termsAt(slot) : new Uint32Array(0), columns.groups[slot]!);
      if (live) this.#lengthTotal += this.#terms.lengths[slot]!;
    }
    this.#unindexedTerms = new Map();
  }

  #termsAt(slot: number): Uint32Array {
    const { columns } = this;
    const terms = this.#unindexedTerms.get(slot);
    return (
      terms ?? this.#options.termsOf(columns.rowIds[slot]!, this.facetsOf(slot), columns.occurredAt[slot]!)
    );
  }

  /** When most slots are dead, the live ones move together. */
  #rebuildIfSparse(): void {
    const { columns } = this;
    const dead = columns.count - this.liveCount;
    if (dead < REBUILD_DEAD_MIN || dead < this.liveCount) return;
    const kept = new Uint32Array(this.liveCount);
    let size = 0;
    for (let slot = 0; slot < columns.count; slot++) if (columns.alive[slot] === 1) kept[size++] = slot;
    const keys = new KeyIndex();
    for (let slot = 0; slot < kept.length; slot++) keys.set(this.keys.hashOf(kept[slot]!), slot);
    const unindexed = new Map<number, Uint32Array>();
    for (let slot = 0; slot < kept.length; slot++) {
      const terms = this.#unindexedTerms.get(kept[slot]!);
      if (terms !== undefined) unindexed.set(slot, terms);
    }
    this.#terms.remap(kept, columns.count);
    this.vectors?.remap(kept);
    this.columns = columns.remap(kept);
    this.keys = keys;
    this.#unindexedTerms = unindexed;
    this.#attributes = new AttributeIndex();
  }
}
