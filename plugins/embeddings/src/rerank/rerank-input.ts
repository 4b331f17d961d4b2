import { MemoryError } from "@membus/protocol";
import type { ResolvedHttpRerankerOptions } from "./rerank-options.js";

/** Contents of one request. */
export interface RerankInput {
  readonly query: string;
  readonly documents: readonly string[];
  /** Index of each document in the call. Blank texts are omitted, because servers refuse them. */
  readonly indexes: readonly number[];
}

type Bounds = Pick<ResolvedHttpRerankerOptions, "textCountMax" | "textBytesMax" | "requestBytesMax">;

/** @throws {MemoryError} `too_large` with {limit, max, got} for too many texts or too many bytes in total. */
export function rerankInput(query: string, texts: readonly string[], bounds: Bounds): RerankInput {
  if (texts.length > bounds.textCountMax) throw tooLarge("texts", bounds.textCountMax, texts.length);
  const indexes = [...texts.keys()].filter((index) => texts[index]!.trim() !== "");
  const documents = indexes.map((index) => truncate(texts[index]!, bounds.textBytesMax));
  const shortQuery = truncate(query, bounds.textBytesMax);
  const bytes = [shortQuery, ...documents].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > bounds.requestBytesMax) throw tooLarge("request", bounds.requestBytesMax, bytes);
  return { query: shortQuery, documents, indexes };
}

/** Returns the beginning of `text` that fits, up to a whole character. */
function truncate(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

function tooLarge(limit: string, max: number, got: number): MemoryError {
  return new MemoryError("too_large", `the reranker's limit of ${max} for ${limit} is exceeded, got ${got}`, {
    limit,
    max,
    got,
  });
}
