import type { PostingSegment } from "./posting-segment.js";
import { SegmentWriter } from "./segment-writer.js";
import type { SlotTerms } from "./unindexed-terms.js";

/** Most terms that are sorted at once, more than a row has. Their number and a hash fit into 53 bits. */
const SORTED_COUNT_MAX = 2 ** 20;

/** Returns segments of the terms of live slots below `end`, in ascending order. */
export function segmentsOfTerms(added: readonly SlotTerms[], end: number): PostingSegment[] {
  const segments: PostingSegment[] = [];
  let first = 0;
  let size = 0;
  for (const [index, terms] of added.entries()) {
    if (size + countOf(terms) > SORTED_COUNT_MAX) {
      segments.push(...segmentOf(added.slice(first, index), size, terms.slot));
      [first, size] = [index, 0];
    }
    size += countOf(terms);
  }
  return [...segments, ...segmentOf(added.slice(first), size, end)];
}

/** Returns a segment of these terms, or none without terms. */
function segmentOf(added: readonly SlotTerms[], termCount: number, end: number): PostingSegment[] {
  if (termCount === 0) return [];
  const { sorted, slots, counts } = sortTerms(added, termCount);
  const writer = new SegmentWriter(added[0]!.slot);
  const postings = { slots: new Uint32Array(added.length), counts: new Uint16Array(added.length) };
  let size = 0;
  let latest = hashOf(sorted[0]!);
  for (const packed of sorted) {
    const hash = hashOf(packed);
    if (hash !== latest) {
      writer.add(latest, postings, size);
      [latest, size] = [hash, 0];
    }
    const at = packed - hash * SORTED_COUNT_MAX;
    postings.slots[size] = slots[at]!;
    postings.counts[size++] = counts[at]!;
  }
  writer.add(latest, postings, size);
  const segment = writer.end({ end, liveCount: added.length });
  return segment === undefined ? [] : [segment];
}

/** Returns the terms in row order, and in order of their hashes: the hash above, the position in row order below. */
function sortTerms(added: readonly SlotTerms[], termCount: number) {
  const sorted = new Float64Array(termCount);
  const slots = new Uint32Array(termCount);
  const counts = new Uint16Array(termCount);
  let next = 0;
  for (const { slot, values, begin, end } of added) {
    for (let at = begin; at < end; at += 2, next++) {
      sorted[next] = values[at]! * SORTED_COUNT_MAX + next;
      slots[next] = slot;
      counts[next] = values[at + 1]!;
    }
  }
  return { sorted: sorted.sort(), slots, counts };
}

function hashOf(packed: number): number {
  return Math.floor(packed / SORTED_COUNT_MAX);
}

function countOf({ begin, end }: SlotTerms): number {
  return (end - begin) / 2;
}
