export { weightedLength } from "./bm25f.js";
export type { Postings, RankCorpus, RankQuery, VectorColumn } from "./corpus.js";
export { rank } from "./rank.js";
