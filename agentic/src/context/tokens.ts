import type { ChatMessage } from "../model/index.js";
import { imagesOf } from "./images.js";

/** How many tokens a text has. */
export type TokenCounter = (text: string) => number;

/** What a tokenizer is given at once: the time it takes grows with the square of a run without spaces. */
const PIECE_LENGTH = 1_024;

/** What a message has besides its words: its role, and the frame of each call and of an answer to one. */
const ROLE_TOKENS = 3;
const CALL_TOKENS = 5;
const ANSWER_TOKENS = 10;

/** Tokens as OpenAI's newer models have them. It takes 10 MB, so it is loaded when it is first wanted. */
export async function loadTokenCounter(): Promise<TokenCounter> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // What looks like a control token in a text is text.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => {
    let tokens = 0;
    for (const piece of pieces(text)) tokens += countTokens(piece, options);
    return tokens;
  };
}

/** Parts of a text, cut before a space where there is one, and never within a character. */
function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const to = cutBefore(text, from + PIECE_LENGTH, from + PIECE_LENGTH / 2);
    yield text.slice(from, to);
    from = to;
  }
}

/** Where to cut a text so that its first part ends at `to` at the latest, and after `least`. */
export function cutBefore(text: string, to: number, least: number): number {
  if (to >= text.length) return text.length;
  const space = Math.max(text.lastIndexOf(" ", to), text.lastIndexOf("\n", to));
  if (space > least) return space;
  return isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** What a message counts for. Fields that no model is sent (`structured`, unknown ones) count for nothing. */
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

/** More messages' tokens are counted anew. */
const KNOWN_MAX = 10_000;

/** Counts the tokens of messages, each revision of a stored one once. */
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
