import type { Embedder } from "@membus/protocol";
import type { ResolvedKitOptions } from "../../kit-options.js";
import { vectorBytesOf } from "../rank/index.js";

/** Entries that a partition may have, where each may have a vector. */
export function partitionRowsMaxOf(
  {
    partitionRowsMax,
    partitionVectorBytesMax,
  }: Pick<ResolvedKitOptions, "partitionRowsMax" | "partitionVectorBytesMax">,
  embedder: Pick<Embedder, "dimensions"> | undefined,
): number {
  if (embedder === undefined) return partitionRowsMax;
  const vectorsMax = Math.floor(partitionVectorBytesMax / vectorBytesOf(embedder.dimensions));
  return Math.min(partitionRowsMax, Math.max(1, vectorsMax));
}
