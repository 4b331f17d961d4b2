import type { Reranker } from "@membus/protocol";

/**
 * What the suite gives a plugin as its host's reranker: a text is as good an answer as the figure in it says, such as
 * `0.25`, and one without is none. So a check chooses the order, which no other ranking would give.
 */
export const figureReranker: Reranker = Object.freeze({
  id: "conformance-figures-v1",
  async rerank(_query: string, texts: readonly string[]): Promise<number[]> {
    return texts.map((text) => Number(/\b(0\.\d+|1)\b/.exec(text)?.[0] ?? 0));
  },
});
