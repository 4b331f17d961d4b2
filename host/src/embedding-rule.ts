import { type Embedder, MemoryError } from "@membus/protocol";

/**
 * Refuses a caller's vector that is not one of the host's embedder: vectors of different models are never compared
 * (clauses ENTRY-11 and ENTRY-12).
 * @throws {MemoryError} `schema_violation` with the path and what was expected.
 */
export function checkEmbedding(
  given: {
    readonly embedding?: Float32Array | null | undefined;
    readonly embedding_model?: string | null | undefined;
  },
  embedder: Embedder | undefined,
): void {
  if (!given.embedding) return;
  if (embedder === undefined) refuse("embedding", "this host has no embedder", {});
  if (given.embedding_model !== embedder.id) {
    refuse("embedding_model", `vectors here are of ${embedder.id}`, { expected: embedder.id });
  }
  const expected = embedder.dimensions;
  const got = given.embedding.length;
  if (got !== expected) refuse("embedding", `has ${got} components, not ${expected}`, { expected, got });
}

function refuse(path: string, why: string, detail: Readonly<Record<string, string | number>>): never {
  throw new MemoryError("schema_violation", `${path}: ${why}`, { path, ...detail });
}
