import { deriveText, type EntryExplanation, keyContext, type QueryField } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import type { Row } from "./row.js";

const CONTEXT_WEIGHT = 0.5;

export function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

export function textOf({ text, content }: Row): string {
  return text ?? deriveText(content);
}

/**
 * Returns the relevance of a row, 0..1: the share of the query's words that it contains, and the cosine of
 * the vectors.
 */
export function relevance(
  row: Row,
  request: PluginRetrieveRequest,
  queryVector: Float32Array | undefined,
): number {
  const vector = request.mode === "text" ? 0 : (cosine(row.vector, queryVector) ?? 0);
  return Math.min(1, Math.max(lexicalOf(matchedTerms(row, request)), vector));
}

export type MatchedTerms = EntryExplanation["terms"];

export function lexicalOf(terms: MatchedTerms): number {
  return Math.min(
    1,
    terms.reduce((sum, { score }) => sum + score, 0),
  );
}

/** Returns the query's words that a row contains in the requested fields. Empty in mode vector. */
export function matchedTerms(row: Row, { mode, query, fields }: PluginRetrieveRequest): MatchedTerms {
  if (mode === "vector" || query === undefined) return [];
  const asked = [...wordsOf(query)];
  const words: Readonly<Partial<Record<QueryField, ReadonlySet<string>>>> = {
    text: wordsOf(textOf(row)),
    context: wordsOf(`${row.context ?? ""}\n${keyContext(row.key)}`),
  };
  const looked = fields ?? (["text", "context"] as const);
  return asked.flatMap((term) => {
    const found = looked.filter((field) => words[field]?.has(term));
    const weight = 1 / asked.length;
    const score = found.includes("text") ? weight : weight * CONTEXT_WEIGHT;
    return found.length === 0 ? [] : [{ term, weight, score, fields: found }];
  });
}

/** Returns the cosine of two vectors. Values below 0.25 count as random. Undefined if a vector is missing. */
export function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  const lengths = Math.sqrt(dotProduct(a, a) * dotProduct(b, b));
  const found = lengths === 0 ? 0 : dotProduct(a, b) / lengths;
  return found < 0.25 ? 0 : Math.min(1, found);
}

export function dotProduct(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, at) => sum + component * b[at]!, 0);
}
