import { lowerBound } from "../lower-bound.js";
import type { Postings } from "../rank/index.js";
import { type MergedRange, mergeSegments } from "./merge-segments.js";
import type { PostingSegment } from "./posting-segment.js";
import { segmentsOfTerms } from "./segments-of-terms.js";
import type { SlotTerms } from "./unindexed-terms.js";

/** Number of segments of a size that are merged. Each merge writes all of their postings again. */
const FANOUT = 4;
/** Postings that are merged in one step. It takes some milliseconds. */
const STEP_POSTINGS = 2 ** 17;
/** Segments above this are not merged any more. Postings. */
const MERGED_COUNT_MAX = 2 ** 23;

/** Columns that say which slots are live. */
interface LiveColumns {
  readonly alive: Uint8Array;
}

interface FoundList {
  readonly segment: PostingSegment;
  readonly list: number;
  readonly length: number;
}

interface Merge {
  readonly inputs: readonly PostingSegment[];
  readonly steps: Generator<void, PostingSegment | undefined>;
}

/**
 * Postings of a partition's words, in segments of ascending slots. New rows make a small segment. Segments of
 * a similar size are merged, so that a partition has a few of each size.
 */
export class TermIndex {
  #segments: readonly PostingSegment[] = [];
  #merge: Merge | undefined;
  /** Slots below this are indexed. */
  upTo = 0;

  /** Returns the postings of each of these hashes that has any. All share two arrays, because small ones are slow to create. */
  find(hashes: readonly number[]): Map<number, Postings> {
    const found = hashes.map((hash) => ({ hash: hash >>> 0, lists: this.#listsOf(hash >>> 0) }));
    const length = found.reduce((sum, { lists }) => lists.reduce((part, list) => part + list.length, sum), 0);
    const arrays = { slots: new Uint32Array(length), counts: new Uint16Array(length) };
    const postings = new Map<number, Postings>();
    let end = 0;
    for (const { hash, lists } of found) {
      if (lists.length === 0) continue;
      const start = end;
      for (const { segment, list } of lists) end = segment.read(list, arrays, end);
      const slots = arrays.slots.subarray(start, end);
      postings.set(hash, { slots, counts: arrays.counts.subarray(start, end), size: end - start });
    }
    return postings;
  }

  /** Indexes live slots below `upTo`, in ascending order. The slots between them are dead. */
  addAll(added: readonly SlotTerms[], upTo: number): void {
    this.#segments = [...this.#segments, ...segmentsOfTerms(added, upTo)];
    this.upTo = upTo;
  }

  /**
   * Merges segments of a similar size, about `stepSize` postings.
   * @returns whether none are left to merge
   */
  mergeSome(columns: LiveColumns, stepSize = STEP_POSTINGS): boolean {
    if (this.#merge === undefined) {
      const inputs = segmentsToMerge(this.#segments);
      if (inputs.length === 0) return true;
      this.#merge = { inputs, steps: mergeSegments(inputs, liveRange(inputs, columns), stepSize) };
    }
    const { inputs, steps } = this.#merge;
    const step = steps.next();
    if (step.done !== true) return false;
    this.#merge = undefined;
    this.#replace(inputs, step.value);
    return this.isMerged;
  }

  get isMerged(): boolean {
    return this.#merge === undefined && segmentsToMerge(this.#segments).length === 0;
  }

  /** Removes slots that are dead at the start, about `stepSize` postings per step. */
  *removeDead(columns: LiveColumns, stepSize: number): Generator<void> {
    // A merge may have written slots that died since.
    this.#merge = undefined;
    for (const segment of this.#segments) {
      const range = liveRange([segment], columns);
      if (range.liveCount < segment.range.liveCount)
        this.#replace([segment], yield* mergeSegments([segment], range, stepSize));
    }
  }

  /** Keeps the slots that `kept` lists in ascending order, under their new numbers. */
  remap(kept: Uint32Array, slotCount: number): void {
    const renumbered = new Int32Array(slotCount).fill(-1);
    for (let slot = 0; slot < kept.length; slot++) renumbered[kept[slot]!] = slot;
    const renumber = (slot: number) => renumbered[slot]!;
    this.#merge = undefined;
    this.#segments = this.#segments.flatMap((segment) => {
      const [from, end] = [lowerBound(kept, segment.range.from), lowerBound(kept, segment.range.end)];
      const { value } = mergeSegments([segment], { from, end, liveCount: end - from, renumber }).next();
      return value === undefined ? [] : [value];
    });
    this.upTo = lowerBound(kept, this.upTo);
  }

  get sizeBytes(): number {
    return this.#segments.reduce((size, segment) => size + segment.sizeBytes, 0);
  }

  #listsOf(hash: number): FoundList[] {
    const lists: FoundList[] = [];
    for (const segment of this.#segments) {
      const list = segment.find(hash);
      if (list !== undefined) lists.push({ segment, list, length: segment.lengthOf(list) });
    }
    return lists;
  }

  /** Replaces neighbouring segments, unless others replaced them. */
  #replace(former: readonly PostingSegment[], merged: PostingSegment | undefined): void {
    const at = this.#segments.indexOf(former[0]!);
    if (at < 0 || former.some((segment, index) => this.#segments[at + index] !== segment)) return;
    this.#segments = this.#segments.toSpliced(at, former.length, ...(merged === undefined ? [] : [merged]));
  }
}

/** Returns the last segments of a similar size, or none if they are too few to be merged. */
function segmentsToMerge(segments: readonly PostingSegment[]): readonly PostingSegment[] {
  let from = segments.length;
  while (from > 0) {
    const size = sizeClass(segments[from - 1]!);
    if (size === undefined) return [];
    let ofSize = 0;
    while (from > 0 && (sizeClass(segments[from - 1]!) ?? size + 1) <= size) {
      if (sizeClass(segments[--from]!) === size) ofSize++;
    }
    if (ofSize >= FANOUT) return segments.slice(from);
  }
  return [];
}

/** Returns the class of a segment's size, or undefined for one that is not merged any more. */
function sizeClass({ count }: PostingSegment): number | undefined {
  return count > MERGED_COUNT_MAX ? undefined : Math.floor(Math.log2(count) / Math.log2(FANOUT));
}

/** Returns the range of neighbouring segments, without slots that are dead. */
function liveRange(segments: readonly PostingSegment[], columns: LiveColumns): MergedRange {
  const { from } = segments[0]!.range;
  const { end } = segments.at(-1)!.range;
  let liveCount = 0;
  for (const live of columns.alive.subarray(from, end)) liveCount += live;
  return { from, end, liveCount, renumber: (slot) => (columns.alive[slot] === 1 ? slot : -1) };
}

/** Joins postings. Indexed slots are before unindexed ones. */
export function joinPostings(
  indexed: Postings | undefined,
  unindexed: Postings | undefined,
): Postings | undefined {
  if (indexed === undefined || unindexed === undefined) return indexed ?? unindexed;
  const size = indexed.size + unindexed.size;
  const slots = new Uint32Array(size);
  const counts = new Uint16Array(size);
  slots.set(indexed.slots.subarray(0, indexed.size));
  counts.set(indexed.counts.subarray(0, indexed.size));
  slots.set(unindexed.slots.subarray(0, unindexed.size), indexed.size);
  counts.set(unindexed.counts.subarray(0, unindexed.size), indexed.size);
  return { slots, counts, size };
}
