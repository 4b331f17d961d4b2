import type { SampleEntry } from "./dataset.js";

/** Adds tags that select every hundredth and every tenth entry. */
export function withShares(entries: readonly SampleEntry[]): SampleEntry[] {
  return entries.map((entry, index) => ({ ...entry, tags: [...entry.tags, ...sharesOf(index)] }));
}

/** Returns the shares of the entry at `index`. */
export function sharesOf(index: number): string[] {
  return [...(index % 100 === 0 ? ["one-percent"] : []), ...(index % 10 === 0 ? ["ten-percent"] : [])];
}
