import type { PostingArrays, PostingSegment, SegmentRange } from "./posting-segment.js";
import { SegmentWriter } from "./segment-writer.js";

export interface MergedRange extends SegmentRange {
  /** Returns the new number of a slot. They ascend as the slots do. -1 drops its postings. */
  renumber(slot: number): number;
}

/**
 * Merges segments of ascending slots in steps of about `stepSize` postings. The range is the one after
 * renumbering.
 * @returns the merged segment, or undefined without postings
 */
export function* mergeSegments(
  segments: readonly PostingSegment[],
  { renumber, ...range }: MergedRange,
  stepSize = Number.POSITIVE_INFINITY,
): Generator<void, PostingSegment | undefined> {
  const writer = new SegmentWriter(range.from);
  const lists = segments.map(() => 0);
  const hashes = segments.map((segment) => segment.hashes[0]!);
  const postings: PostingArrays = { slots: new Uint32Array(0), counts: new Uint16Array(0) };
  let done = 0;
  for (;;) {
    const hash = Math.min(...hashes);
    if (hash === Number.POSITIVE_INFINITY) return writer.end(range);
    let size = 0;
    for (let index = 0; index < segments.length; index++) {
      if (hashes[index] !== hash) continue;
      const segment = segments[index]!;
      const list = lists[index]!++;
      hashes[index] = segment.hashes[list + 1] ?? Number.POSITIVE_INFINITY;
      reserve(postings, size + segment.lengthOf(list), size);
      const end = segment.read(list, postings, size);
      done += 1 + end - size;
      size = renumberSlots(postings, { start: size, end }, renumber);
    }
    writer.add(hash, postings, size);
    if (done < stepSize) continue;
    done = 0;
    yield;
  }
}

function reserve(postings: PostingArrays, length: number, used: number): void {
  if (length <= postings.slots.length) return;
  const { slots, counts } = postings;
  postings.slots = new Uint32Array(2 * length);
  postings.counts = new Uint16Array(2 * length);
  postings.slots.set(slots.subarray(0, used));
  postings.counts.set(counts.subarray(0, used));
}

/** Renumbers the slots of a range of postings and drops some of them. @returns the end of the others. */
function renumberSlots(
  { slots, counts }: PostingArrays,
  { start, end }: { readonly start: number; readonly end: number },
  renumber: MergedRange["renumber"],
): number {
  let kept = start;
  for (let index = start; index < end; index++) {
    const slot = renumber(slots[index]!);
    if (slot < 0) continue;
    slots[kept] = slot;
    counts[kept++] = counts[index]!;
  }
  return kept;
}
