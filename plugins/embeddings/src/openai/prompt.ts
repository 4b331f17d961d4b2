import { MemoryError } from "@membus/protocol";
import type { EmbedKind } from "@membus/protocol/plugin";
import { prefixOf } from "../prefix.js";
import type { ResolvedOpenAiEmbedderOptions } from "./openai-options.js";

/** Text as it is sent. */
export interface Prompt {
  /** Index in the call. */
  readonly index: number;
  readonly text: string;
  readonly bytes: number;
}

type PromptOptions = Pick<ResolvedOpenAiEmbedderOptions, "queryPrefix" | "documentPrefix" | "textBytesMax">;

/**
 * Returns the prompts for `texts`, in order. Omits blank texts, which providers refuse.
 * @throws {MemoryError} `too_large` with {limit, max, got, index} for the first text over `textBytesMax`.
 * `limit` names the field that contains the text.
 */
export function promptsOf(texts: readonly string[], kind: EmbedKind, options: PromptOptions): Prompt[] {
  const prefix = prefixOf(kind, options);
  const prompts: Prompt[] = [];
  for (const [index, blankOrText] of texts.entries()) {
    if (blankOrText.trim() === "") continue;
    const text = prefix + blankOrText;
    const bytes = Buffer.byteLength(text);
    if (bytes > options.textBytesMax) {
      const limit = kind === "query" ? "query" : "text";
      const detail = { limit, max: options.textBytesMax, got: bytes, index };
      throw new MemoryError(
        "too_large",
        `the text has ${bytes} bytes, the embedder's limit is ${options.textBytesMax}. Shorten it`,
        detail,
      );
    }
    prompts.push({ index, text, bytes });
  }
  return prompts;
}

/**
 * Splits `prompts` in order into batches of at most `countMax` prompts and `bytesMax` bytes, each with at
 * least one prompt.
 */
export function batchesOf(prompts: readonly Prompt[], countMax: number, bytesMax: number): Prompt[][] {
  const batches: Prompt[][] = [];
  let batch: Prompt[] = [];
  let bytes = 0;
  for (const prompt of prompts) {
    if (batch.length === countMax || bytes + prompt.bytes > bytesMax) {
      if (batch.length > 0) batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(prompt);
    bytes += prompt.bytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
