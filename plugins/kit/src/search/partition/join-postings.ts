import type { Postings } from "../rank/index.js";

/** Indexed slots come before those that wait. */
export function joinPostings(
  indexed: Postings | undefined,
  waiting: Postings | undefined,
): Postings | undefined {
  if (indexed === undefined || waiting === undefined) return indexed ?? waiting;
  const size = indexed.size + waiting.size;
  const slots = new Uint32Array(size);
  const counts = new Uint16Array(size);
  slots.set(indexed.slots.subarray(0, indexed.size));
  counts.set(indexed.counts.subarray(0, indexed.size));
  slots.set(waiting.slots.subarray(0, waiting.size), indexed.size);
  counts.set(waiting.counts.subarray(0, waiting.size), indexed.size);
  return { slots, counts, size };
}
