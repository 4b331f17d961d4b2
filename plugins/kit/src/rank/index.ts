export { weightedLength } from "./bm25f.js";
export type { Postings, RankCorpus, RankField, RankQuery, VectorColumn } from "./corpus.js";
export { EvidenceBounds } from "./evidence-bounds.js";
export { type ExplainedTerm, explainSlots, type SlotExplanation } from "./explain.js";
export { rank } from "./rank.js";
export { evidenceFor, relevance } from "./relevance.js";
export { similarity } from "./vector.js";
export { codeLengthOf, encodeSlot, type VectorCodes } from "./vector-codes.js";
