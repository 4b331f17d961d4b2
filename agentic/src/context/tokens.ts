import type { ChatMessage } from "../model/index.js";
import { imagesOf } from "./images.js";

/** Returns the number of tokens of a text. */
export type TokenCounter = (text: string) => number;

/**
 * Characters that the tokenizer gets at once. Its time grows with the square of the length of a run without
 * spaces.
 */
const PIECE_LENGTH = 1_024;

/**
 * Tokens of a message in addition to its words: its role, and the frame of each call and of a tool result.
 */
const ROLE_TOKENS = 3;
const CALL_TOKENS = 5;
const ANSWER_TOKENS = 10;

/**
 * Returns a counter with the tokenizer of OpenAI's newer models. The tokenizer takes 10 MB, so it is loaded
 * on the first call.
 * @throws {TypeError} if the optional dependency gpt-tokenizer is not installed.
 */
export async function loadTokenCounter(): Promise<TokenCounter> {
  const { countTokens } = await loadTokenizer();
  // Control tokens in a text are counted as text.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => {
    let tokens = 0;
    for (const piece of pieces(text)) tokens += countTokens(piece, options);
    return tokens;
  };
}

async function loadTokenizer() {
  try {
    return await import("gpt-tokenizer/encoding/o200k_base");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const message =
      "token counts need the package gpt-tokenizer: npm install gpt-tokenizer, or pass a `tokenCounter`";
    throw new TypeError(message, { cause: error });
  }
}

/** Yields parts of a text, cut before a space if possible, and never within a character. */
function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const to = cutBefore(text, from + PIECE_LENGTH, from + PIECE_LENGTH / 2);
    yield text.slice(from, to);
    from = to;
  }
}

/** Returns the index at which to cut a text: at most `to`, and after `least`. */
export function cutBefore(text: string, to: number, least: number): number {
  if (to >= text.length) return text.length;
  const space = Math.max(text.lastIndexOf(" ", to), text.lastIndexOf("\n", to));
  if (space > least) return space;
  return isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * Returns the tokens of a message. Fields that are not sent to a model (`structured`, unknown ones) count 0.
 */
export function messageTokens(message: ChatMessage, count: TokenCounter, imageTokens: number): number {
  const { content, name, tool_calls = [], tool_call_id, reasoning, agent_calls } = message;
  let tokens = ROLE_TOKENS + imagesOf(message).length * imageTokens;
  if (typeof content === "string") tokens += count(content);
  for (const part of Array.isArray(content) ? content : []) {
    if (typeof part.text === "string") tokens += count(part.text);
    else if (!part.type.includes("image")) tokens += count(JSON.stringify(part));
  }
  if (name !== undefined) tokens += count(name);
  for (const call of tool_calls) tokens += CALL_TOKENS + count(call.name) + count(call.arguments);
  if (tool_call_id !== undefined) tokens += ANSWER_TOKENS;
  for (const value of [reasoning, agent_calls])
    if (value !== undefined) tokens += count(JSON.stringify(value));
  return tokens;
}

/** Maximum number of messages with cached token counts. */
const KNOWN_MAX = 10_000;

/** Counts the tokens of messages, and caches the count of each revision of a stored message. */
export class MessageCounter {
  readonly count: TokenCounter;
  readonly #imageTokens: number;
  readonly #known = new Map<string, number>();
  #hits = 0;
  #misses = 0;

  constructor(count: TokenCounter, imageTokens: number) {
    this.count = count;
    this.#imageTokens = imageTokens;
  }

  readonly measure = (message: ChatMessage): number => messageTokens(message, this.count, this.#imageTokens);

  stored(id: string, revision: number, message: ChatMessage): number {
    const key = `${id}@${revision}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#hits++;
      return known;
    }
    this.#misses++;
    const tokens = this.measure(message);
    if (this.#known.size >= KNOWN_MAX) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(key, tokens);
    return tokens;
  }

  get stats() {
    return { counted: this.#known.size, hits: this.#hits, misses: this.#misses };
  }
}
