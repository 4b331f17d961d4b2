import { VIRTUAL_ENTRY_COUNT, VIRTUAL_ENTRY_LENGTH } from "./bm25f.js";

/**
 * How much a term tells entries apart: its inverse document frequency over the partition's live entries and the
 * virtual ones, each of which has the word with the probability that 20 words of general language have it.
 * @param documentFrequency live entries with the term in any field
 * @param prior probability of the word in general language
 */
export function inverseDocumentFrequency(
  documentFrequency: number,
  liveCount: number,
  prior: number,
): number {
  const virtualFrequency = VIRTUAL_ENTRY_COUNT * (1 - (1 - prior) ** VIRTUAL_ENTRY_LENGTH);
  const frequency = documentFrequency + virtualFrequency;
  return Math.log(1 + (liveCount + VIRTUAL_ENTRY_COUNT - frequency + 0.5) / (frequency + 0.5));
}
