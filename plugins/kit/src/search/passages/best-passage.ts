import type { Analyzer } from "../analyzer/analyzer.js";
import { COUNT_FIELDS, fieldCount } from "../analyzer/packed-terms.js";
import { hashesOf, type QueryTerm } from "../analyzer/query-terms.js";
import { boundedText } from "../analyzer/words.js";
import { saturation, termRarity } from "../rank/bm25f.js";
import { dividePassages, type Passage } from "./divide-text.js";

/** Occurrences of the terms of a query in a passage, by hash. */
type Counts = ReadonlyMap<number, number>;

/**
 * Returns a function that finds the passage of a text with the most weight of the query's words. Passages are
 * ranked like entries, and only among each other: a word that most of them contain decides little. Of equal
 * passages the first is returned, also if none contains a word of the query. The result depends only on the
 * query and the text.
 */
export function passageFinder(analyzer: Analyzer, query: string): (text: string) => Passage {
  const terms = analyzer.analyzeQuery(query);
  const hashes = new Set(hashesOf(terms));
  return (text) => {
    const passages = dividePassages(searchedText(text));
    if (hashes.size === 0 || passages.length === 1) return passages[0]!;
    const counts = passages.map(({ start, end }) => countTerms(analyzer, text.slice(start, end), hashes));
    return passages[bestIndex(scorePassages(counts, terms))]!;
  };
}

/** Returns the part of a text that is searched, without half a character at its end. */
function searchedText(text: string): string {
  return boundedText(text).replace(/[\ud800-\udbff]$/, "");
}

function countTerms(analyzer: Analyzer, text: string, hashes: ReadonlySet<number>): Counts {
  const packed = analyzer.analyze({ text, context: "", occurredAt: undefined });
  const counts = new Map<number, number>();
  for (let at = 0; at < packed.length; at += 2) {
    if (hashes.has(packed[at]!)) counts.set(packed[at]!, fieldCount(packed[at + 1]!, COUNT_FIELDS.text));
  }
  return counts;
}

/** Returns the BM25 score of each passage. Their lengths do not count, because they hardly differ. */
function scorePassages(passages: readonly Counts[], terms: readonly QueryTerm[]): Float64Array {
  const scores = new Float64Array(passages.length);
  for (const { hash, alternatives = [], prior } of terms) {
    const frequencies = passages.map((counts) =>
      Math.max(...[hash, ...alternatives].map((each) => counts.get(each) ?? 0)),
    );
    const passageFrequency = frequencies.filter((frequency) => frequency > 0).length;
    const { inverseDocumentFrequency } = termRarity(passageFrequency, passages.length, prior);
    for (const [index, frequency] of frequencies.entries()) {
      scores[index]! += inverseDocumentFrequency * saturation(frequency, 1, 0);
    }
  }
  return scores;
}

function bestIndex(scores: Float64Array): number {
  return scores.indexOf(Math.max(...scores));
}
