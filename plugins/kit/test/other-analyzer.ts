import { type Analyzer, createEnglishAnalyzer } from "../src/index.js";

const usual = createEnglishAnalyzer();
const MASK = 0x5a5a5a5a;

/** An analyzer that ranks like the default one with other terms, which never match the default ones. */
export const otherAnalyzer: Analyzer = {
  id: "other-1",
  analyze: (input) => usual.analyze(input).map((value, at) => (at % 2 === 0 ? otherHash(value) : value)),
  analyzeQuery: (query) =>
    usual.analyzeQuery(query).map((term) => ({
      ...term,
      hash: otherHash(term.hash),
      ...(term.alternatives && { alternatives: term.alternatives.map(otherHash) }),
    })),
};

function otherHash(hash: number): number {
  return (hash ^ MASK) >>> 0;
}
