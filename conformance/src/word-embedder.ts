import type { Embedder } from "@membus/protocol";

const DIMENSIONS = 64;

/**
 * What the suite gives a plugin as its host's embedder: a vector per word, added up. Texts that share words are near
 * each other; it knows no meaning, and needs no model.
 */
export const wordEmbedder: Embedder = Object.freeze({
  id: "conformance-words-v1",
  dimensions: DIMENSIONS,
  async embed(texts: readonly string[]): Promise<(Float32Array | null)[]> {
    return texts.map(embedText);
  },
});

function embedText(text: string): Float32Array | null {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) addWord(vector, word);
  const length = Math.hypot(...vector);
  return length === 0 ? null : vector.map((component) => component / length);
}

/** Each word points somewhere of its own: signs from a hash of it. */
function addWord(vector: Float32Array, word: string): void {
  let hash = 2_166_136_261;
  for (const character of word) hash = Math.imul(hash ^ character.codePointAt(0)!, 16_777_619);
  for (let at = 0; at < vector.length; at++) {
    hash ^= hash << 13;
    hash ^= hash >>> 17;
    hash ^= hash << 5;
    vector[at]! += (hash & 1) === 0 ? 1 : -1;
  }
}
