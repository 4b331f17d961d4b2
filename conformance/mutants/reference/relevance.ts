import { deriveText, keyContext, type PluginRetrieveRequest } from "@membus/protocol";
import type { Row } from "./row.js";

const CONTEXT_WEIGHT = 0.5;

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** How well a row answers, 0..1: the share of the query's words that it holds, and the cosine of the vectors. */
export function relevance(
  row: Row,
  request: PluginRetrieveRequest,
  queryVector: Float32Array | undefined,
): number {
  const text = request.mode === "vector" ? 0 : textRelevance(row, request.query);
  const vector = request.mode === "text" ? 0 : cosine(row.vector, queryVector);
  return Math.min(1, Math.max(text, vector));
}

function textRelevance(row: Row, query: string | undefined): number {
  if (query === undefined) return 0;
  const asked = [...wordsOf(query)];
  const own = wordsOf(row.text ?? deriveText(row.content));
  const near = wordsOf(`${row.context ?? ""}\n${keyContext(row.key)}`);
  const found = asked.map((word) => (own.has(word) ? 1 : near.has(word) ? CONTEXT_WEIGHT : 0));
  return asked.length === 0 ? 0 : found.reduce<number>((sum, weight) => sum + weight, 0) / asked.length;
}

/** Below a quarter it is chance. */
function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (a === undefined || b === undefined) return 0;
  const dot = a.reduce((sum, component, at) => sum + component * b[at]!, 0);
  return dot < 0.25 ? 0 : Math.min(1, dot);
}
