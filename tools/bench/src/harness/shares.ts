import type { SampleEntry } from "./dataset.js";

/** The same entries with tags that select a known share of them: every hundredth, every tenth. */
export function withShares(entries: readonly SampleEntry[]): SampleEntry[] {
  return entries.map((entry, index) => ({ ...entry, tags: [...entry.tags, ...sharesOf(index)] }));
}

/** Names of the shares that the entry at `index` belongs to. */
export function sharesOf(index: number): string[] {
  return [...(index % 100 === 0 ? ["one-percent"] : []), ...(index % 10 === 0 ? ["ten-percent"] : [])];
}
