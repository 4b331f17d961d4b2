import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { ReferencePlugin } from "./reference-plugin.js";
import { relevance } from "./relevance.js";
import type { Row } from "./row.js";

type Relevance = (
  row: Row,
  request: PluginRetrieveRequest,
  queryVector: Float32Array | undefined,
  sound: number,
) => number;

/** The reference plugin with another relevance. */
export function rankingBy(relevanceOf: Relevance): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
      return relevanceOf(row, request, vector, super.relevance(row, request, vector));
    }
  })();
}

/** Returns the relevance of a row by words only. */
export function byWords(row: Row, request: PluginRetrieveRequest): number {
  return relevance(row, { ...request, mode: "text" }, undefined);
}

/** Returns the relevance of a row by vectors only. */
export function byVector(
  row: Row,
  request: PluginRetrieveRequest,
  queryVector: Float32Array | undefined,
): number {
  return relevance(row, { ...request, mode: "vector" }, queryVector);
}
