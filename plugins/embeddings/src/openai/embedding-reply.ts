import { MemoryError } from "@membus/protocol";
import { replyField } from "../reply-field.js";
import { toUnitVector } from "../unit-vector.js";

/**
 * Returns the unit vectors of an embeddings API reply, in request order. A vector of zeros becomes null.
 * @throws {MemoryError} `runtime_error` unless there is exactly one finite vector of `dimensions` components
 * for each of the `count` inputs.
 */
export function vectorsOfReply(reply: unknown, count: number, dimensions: number): (Float32Array | null)[] {
  const items = replyField(reply, "data");
  if (!Array.isArray(items)) throw badReply("no list of embeddings");
  if (items.length !== count)
    throw badReply("wrong number of embeddings", { expected: count, got: items.length });
  const vectors = new Array<Float32Array | null | undefined>(count).fill(undefined);
  for (const item of items) {
    const index = replyField(item, "index");
    if (typeof index !== "number" || !(index in vectors) || vectors[index] !== undefined) {
      throw badReply("an index is missing, repeated or out of range");
    }
    vectors[index] = toUnitVector(finiteVector(replyField(item, "embedding"), dimensions));
  }
  return vectors as (Float32Array | null)[];
}

function finiteVector(components: unknown, dimensions: number): Float32Array {
  if (!Array.isArray(components)) throw badReply("an embedding is not a list");
  if (components.length !== dimensions) {
    throw badReply("wrong number of components", { expected: dimensions, got: components.length });
  }
  const vector = new Float32Array(dimensions);
  for (const [i, component] of components.entries()) {
    vector[i] = typeof component === "number" ? component : Number.NaN;
    if (!Number.isFinite(vector[i])) throw badReply("a component is not a finite float32");
  }
  return vector;
}

function badReply(reason: string, detail: { expected?: number; got?: number } = {}): MemoryError {
  return new MemoryError("runtime_error", `the embedding provider sent an invalid reply: ${reason}`, detail);
}
