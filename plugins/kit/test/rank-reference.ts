import type { RankQuery } from "../src/search/rank/index.js";
import type { TestEntry } from "./rank-corpus.js";

/** The textbook formulas, entry by entry, in doubles. `rank` must return the same scores. */
export function rankNaively(entries: readonly TestEntry[], query: RankQuery): number[] {
  const lexical = entries.map((entry) => (entry.alive === false ? 0 : bm25f(entries, entry, query)));
  return entries.map((entry, slot) => {
    if (entry.alive === false || query.allowed?.[slot] === 0) return 0;
    const inGroup = withGroup(entries, lexical, slot);
    const evidence = 1 - (1 - inGroup) * (1 - 0.25 * cosine(entry, query));
    return (evidence ** 2 * (1 + 0.165 ** 2)) / (evidence ** 2 + 0.165 ** 2);
  });
}

function bm25f(entries: readonly TestEntry[], entry: TestEntry, query: RankQuery): number {
  const live = entries.filter(({ alive }) => alive !== false);
  const average = (live.reduce((sum, other) => sum + lengthOf(other), 0) + 50 * 20) / (live.length + 50);
  let score = 0;
  let best = 0;
  for (const { hash, prior } of query.terms) {
    const virtual = 50 * (1 - (1 - prior) ** 20);
    const found = live.filter(({ terms }) => terms[hash] !== undefined).length;
    const df = found + virtual;
    const elsewhere = Math.max(0, found - 1) + virtual;
    const idf = Math.log(1 + (live.length + 50 - df + 0.5) / (df + 0.5));
    best += idf * 2.2;
    if (entry.terms[hash] === undefined) continue;
    const tf = weigh(entry, hash);
    const ratio = lengthOf(entry) / average;
    const lengthInfluence = elsewhere / (elsewhere + 0.01 * (live.length + 50));
    const lengthFactor = ratio <= 1 ? ratio : 1 + lengthInfluence * (ratio - 1);
    score += (idf * tf * 2.2) / (tf + 1.2 * lengthFactor);
  }
  return best === 0 ? 0 : score / best;
}

function withGroup(entries: readonly TestEntry[], lexical: readonly number[], slot: number): number {
  const score = lexical[slot]!;
  const group = entries[slot]!.group ?? 0;
  if (group === 0 || score === 0) return score;
  const members = lexical.filter((_, other) => entries[other]!.group === group).sort((a, b) => b - a);
  const missed = members.slice(0, 3).reduce((product, member) => product * (1 - member), 1);
  return 1 - (1 - score) * (1 - 0.3 * contextShare(entries[slot]!) * (1 - missed));
}

function cosine({ vector }: TestEntry, query: RankQuery): number {
  if (vector === undefined || query.vector === undefined) return 0;
  return Math.max(
    0,
    vector.reduce((sum, component, index) => sum + component * query.vector![index]!, 0),
  );
}

/** Returns the number of words in a field: 0 = text, 1 = context, 2 = time. */
function wordCount({ terms }: TestEntry, field: 0 | 1 | 2): number {
  return Object.values(terms).reduce((sum, counts) => sum + counts[field], 0);
}

function contextShare(entry: TestEntry): number {
  return Math.min(1, 40 / wordCount(entry, 0));
}

function lengthOf(entry: TestEntry): number {
  const context = Math.round(2 * wordCount(entry, 1) * contextShare(entry));
  return Math.max(10, wordCount(entry, 0) + context + wordCount(entry, 2));
}

function weigh(entry: TestEntry, hash: number): number {
  const [text, context, time] = entry.terms[hash] ?? [0, 0, 0];
  return text + 0.5 * contextShare(entry) * context + time;
}
