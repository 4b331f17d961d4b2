import { type Analyzer, createEnglishAnalyzer } from "../src/index.js";

const english = createEnglishAnalyzer();
const MASK = 0x5a5a5a5a;

/** Ranks as the English analyzer does, by other terms: what one made is nothing to the other. */
export const otherAnalyzer: Analyzer = {
  id: "other-1",
  analyze: (input) =>
    english.analyze(input).map((value, at) => (at % 2 === 0 ? (value ^ MASK) >>> 0 : value)),
  analyzeQuery: (query) =>
    english.analyzeQuery(query).map((term) => ({ ...term, hash: (term.hash ^ MASK) >>> 0 })),
};
