import type { Embedder } from "@membus/protocol/plugin";
import type { Analyzer } from "../src/index.js";
import { Partition } from "../src/search/partition/partition.js";
import { testRow } from "./test-row.js";

/** Returns a partition of texts without context and time, with slots in the given order. */
export async function partitionOf(
  { embedder, analyzer }: { readonly embedder: Embedder; readonly analyzer: Analyzer },
  texts: readonly string[],
): Promise<Partition> {
  const partition = new Partition({ embedder, termsOf: () => new Uint32Array(0) });
  const vectors = await embedder.embed(texts, "document");
  for (const [at, text] of texts.entries()) {
    const terms = analyzer.analyze({ text, context: "", occurredAt: undefined });
    const index = { terms, vector: vectors[at]!, embedder: embedder.id };
    partition.add({ ...testRow({ name: `k${at}`, rowId: at + 1 }), ...index });
  }
  return partition;
}
