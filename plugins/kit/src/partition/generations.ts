import type { FormerVector, Row } from "../row.js";
import type { RowColumns } from "../storage.js";
import { grown } from "./grown.js";
import { Vectors } from "./vectors.js";

/** What is known of a slot, a bit each: its stored terms are another analyzer's. */
const OLD_TERMS = 1;
/** Its row has to be written anew. */
const OUTDATED = 2;
/** Its only vector is another embedder's. */
const ONLY_OLD_VECTOR = 4;

export interface EmbedderShape {
  readonly id: string;
  readonly dimensions: number;
}

interface GenerationsOptions {
  readonly current: Vectors | undefined;
  readonly previous: EmbedderShape | undefined;
  /** Absent where rows have no other analyzer's terms. */
  readonly analyzer: string | undefined;
}

/**
 * Which rows of a partition are still of a former embedder or analyzer, and whose vectors answer queries. As long as
 * one row has a former embedder's vector alone, the former's vectors answer for all, or none do: vectors of different
 * embedders are never compared, and no row is at a disadvantage because its turn has not come.
 */
export class Generations {
  readonly #options: GenerationsOptions;
  /** The vectors of the embedder before, until nothing needs them any more. */
  #former: Vectors | undefined;
  #flags = new Uint8Array(16);
  #outdatedCount = 0;
  #onlyOldCount = 0;

  constructor(options: GenerationsOptions) {
    this.#options = options;
    const { current, previous } = options;
    if (current !== undefined && previous !== undefined && previous.id !== current.embedder) {
      this.#former = new Vectors(previous.id, previous.dimensions);
    }
  }

  /** Rows that are stored as another generation's, and have to be written anew. */
  get outdatedCount(): number {
    return this.#outdatedCount;
  }

  /** The vectors that answer; undefined where words must. */
  get answering(): Vectors | undefined {
    if (this.#onlyOldCount > 0) return this.#former;
    this.#former = undefined;
    return this.#options.current;
  }

  /** The vectors of this embedder, as far as they are there. */
  of(embedder: string | undefined): Vectors | undefined {
    const { current } = this.#options;
    return embedder === undefined || embedder === current?.embedder ? current : this.#former;
  }

  /** What the former embedder has answered for a slot, while that is of use. */
  formerOf(slot: number): FormerVector | undefined {
    const former = this.#former;
    if (former === undefined || former.isPending(slot)) return undefined;
    return { embedder: former.embedder, vector: former.vectorOf(slot) ?? null };
  }

  isOutdated(slot: number): boolean {
    return (this.#flags[slot]! & OUTDATED) > 0;
  }

  hasOldTerms(slot: number): boolean {
    return (this.#flags[slot]! & OLD_TERMS) > 0;
  }

  /** A slot whose row the current vectors have filed. */
  add(slot: number, row: Pick<Row, "analyzer" | "embedder" | "vector" | "former">): void {
    this.#reserve(slot + 1);
    this.#file(slot, row);
  }

  addAll(first: number, rows: RowColumns): void {
    this.#reserve(first + rows.count);
    for (let index = 0; index < rows.count; index++) {
      const embedder = rows.embedder(index);
      const former = rows.former(index);
      if (former === undefined && this.#isUpToDate(embedder, rows.analyzer(index))) continue;
      const vector = this.#isForeign(embedder) && rows.hasVector(index) ? vectorAt(rows, index) : null;
      this.#file(first + index, { analyzer: rows.analyzer(index), embedder, vector, former });
    }
  }

  /** A slot that died. */
  drop(slot: number): void {
    this.#former?.drop(slot);
    const flags = this.#flags[slot]!;
    if (flags === 0) return;
    if (flags & OUTDATED) this.#outdatedCount--;
    if (flags & ONLY_OLD_VECTOR) this.#onlyOldCount--;
    this.#flags[slot] = 0;
  }

  /** Keeps the slots that `kept` lists, in its order. */
  remap(kept: Uint32Array): void {
    this.#former?.remap(kept);
    const flags = new Uint8Array(Math.max(16, kept.length));
    for (const [slot, from] of kept.entries()) flags[slot] = this.#flags[from]!;
    this.#flags = flags;
  }

  get sizeBytes(): number {
    return this.#flags.byteLength + (this.#former?.sizeBytes ?? 0);
  }

  /** Whether a row of these is the present generation's, which leaves nothing to file: nearly all are. */
  #isUpToDate(embedder: string, analyzer: string): boolean {
    const { current, analyzer: ours } = this.#options;
    return this.#former === undefined && embedder === current?.embedder && analyzer === ours;
  }

  #file(slot: number, row: Pick<Row, "analyzer" | "embedder" | "vector" | "former">): void {
    const { current, analyzer } = this.#options;
    const { former } = row;
    if (former !== undefined && former.embedder === current?.embedder) current.fill(slot, former.vector);
    const hasOldVector = this.#isForeign(row.embedder) || (former?.vector != null && row.embedder === "");
    const isLate = row.embedder === "" && this.#isMigrated;
    const isOnly = hasOldVector && !isLate && this.#hasForeignVector(row) && current!.isPending(slot);
    const hasOldTerms = analyzer !== undefined && row.analyzer !== analyzer;
    // Without an embedder a row keeps the vector that it has: it is not in RAM.
    const isOutdated = hasOldVector || (hasOldTerms && (current !== undefined || row.embedder === ""));
    this.#flags[slot] =
      (hasOldTerms ? OLD_TERMS : 0) | (isOutdated ? OUTDATED : 0) | (isOnly ? ONLY_OLD_VECTOR : 0);
    if (isOutdated) this.#outdatedCount++;
    if (isOnly) this.#onlyOldCount++;
    this.#fileFormer(slot, row);
  }

  /** Whether the former vectors were dropped, as no row needed them: one that comes late is merely pending. */
  get #isMigrated(): boolean {
    const { current, previous } = this.#options;
    return this.#former === undefined && previous !== undefined && previous.id !== current?.embedder;
  }

  #fileFormer(slot: number, { embedder, vector, former }: Pick<Row, "embedder" | "vector" | "former">): void {
    if (this.#former === undefined) return;
    if (former?.embedder === this.#former.embedder) this.#former.add(slot, former.embedder, former.vector);
    else this.#former.add(slot, embedder, vector);
  }

  #hasForeignVector({ embedder, vector, former }: Pick<Row, "embedder" | "vector" | "former">): boolean {
    if (vector !== null && this.#isForeign(embedder)) return true;
    return former?.vector != null && this.#isForeign(former.embedder);
  }

  /** Of an embedder, but not of ours. */
  #isForeign(embedder: string): boolean {
    const { current } = this.#options;
    return current !== undefined && embedder !== "" && embedder !== current.embedder;
  }

  #reserve(slots: number): void {
    if (slots > this.#flags.length) this.#flags = grown(this.#flags, Math.max(slots, this.#flags.length * 2));
  }
}

function vectorAt({ vectors, count }: RowColumns, index: number): Float32Array {
  const dimensions = vectors.length / count;
  return vectors.subarray(index * dimensions, (index + 1) * dimensions);
}
