import type { EmbedderFacts } from "./context.js";
import { ExpectationError } from "./expect.js";

/** A vector, in the fields that an entry and a retrieve have for it. */
export interface GivenVector {
  readonly embedding: Float32Array<ArrayBuffer>;
  readonly embedding_model: string;
}

/**
 * A unit vector of the embedder's at so many degrees from the first axis, in the plane of the first two. What is
 * given as a vector is compared as it is, whatever the embedder makes of texts.
 * @throws {ExpectationError} where discovery names no embedder.
 */
export function vectorAt(embedder: EmbedderFacts | undefined, degrees: number): GivenVector {
  if (embedder === undefined) {
    const expected = "`embedder_id` and `embedder_dimensions`, as a tier declares similarity";
    throw new ExpectationError({
      what: "the embedder in the metadata of `$SRV.INFO`",
      expected,
      got: "none",
    });
  }
  const radians = (degrees * Math.PI) / 180;
  const embedding = new Float32Array(embedder.dimensions);
  embedding.set([Math.cos(radians), Math.sin(radians)]);
  return { embedding, embedding_model: embedder.id };
}
