export { weightedLength } from "./bm25f.js";
export type { Postings, RankCorpus, RankField, RankQuery, VectorColumn } from "./corpus.js";
export { type ExplainedTerm, explainSlots, type SlotExplanation } from "./explain.js";
export { rank } from "./rank.js";
export { RelevanceBounds } from "./relevance-bounds.js";
export { codeLengthOf, encodeSlot, type VectorCodes } from "./vector-codes.js";
