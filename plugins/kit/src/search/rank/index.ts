export { measureEntry } from "./bm25f.js";
export type { Postings, RankCorpus, RankField, RankQuery, VectorColumn } from "./corpus.js";
export { type ExplainedTerm, explainSlots, type SlotExplanation } from "./explain.js";
export { wordScores } from "./lexical.js";
export type { PrefilterLimits } from "./prefilter-kernel.js";
export { type PrefilterQuery, QuantizedPrefilter } from "./quantized-prefilter.js";
export { type CosineScale, cosineScale, evidenceFor, relevance } from "./relevance.js";
export { similarity } from "./vector.js";
export { codeLengthOf, encodeSlot, type VectorCodes, vectorBytesOf } from "./vector-codes.js";
