import type { PluginRetrieveRequest } from "@membus/protocol";
import { ReferencePlugin } from "./reference-plugin.js";
import { relevance } from "./relevance.js";
import type { Row } from "./row.js";

type Relevance = (
  row: Row,
  request: PluginRetrieveRequest,
  queryVector: Float32Array | undefined,
  sound: number,
) => number;

/** The reference plugin, for which entries are of another relevance than they are. */
export function rankingBy(relevanceOf: Relevance): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
      return relevanceOf(row, request, vector, super.relevance(row, request, vector));
    }
  })();
}

/** What the words of a query alone make of a row. */
export function byWords(row: Row, request: PluginRetrieveRequest): number {
  return relevance(row, { ...request, mode: "text" }, undefined);
}

/** What vectors alone make of a row. */
export function byVector(
  row: Row,
  request: PluginRetrieveRequest,
  queryVector: Float32Array | undefined,
): number {
  return relevance(row, { ...request, mode: "vector" }, queryVector);
}
