import { MemoryError } from "@membus/protocol";
import type { ResolvedHttpRerankerOptions } from "./rerank-options.js";

/** What one request asks. */
export interface RerankInput {
  readonly query: string;
  readonly documents: readonly string[];
  /** The place of each document in the call: blank texts, which servers refuse, are left out. */
  readonly places: readonly number[];
}

type Bounds = Pick<ResolvedHttpRerankerOptions, "textCountMax" | "textBytesMax" | "requestBytesMax">;

/** @throws {MemoryError} `too_large` with {limit, max, got} for too many texts, or too many bytes in all. */
export function rerankInput(query: string, texts: readonly string[], bounds: Bounds): RerankInput {
  if (texts.length > bounds.textCountMax) throw tooLarge("texts", bounds.textCountMax, texts.length);
  const places = [...texts.keys()].filter((index) => texts[index]!.trim() !== "");
  const documents = places.map((index) => beginningOf(texts[index]!, bounds.textBytesMax));
  const shortQuery = beginningOf(query, bounds.textBytesMax);
  const bytes = [shortQuery, ...documents].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > bounds.requestBytesMax) throw tooLarge("request", bounds.requestBytesMax, bytes);
  return { query: shortQuery, documents, places };
}

/** As much of `text` as fits, up to a whole character. */
function beginningOf(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

function tooLarge(limit: string, max: number, got: number): MemoryError {
  return new MemoryError("too_large", `too much for the reranker: ${got} of ${max}`, { limit, max, got });
}
