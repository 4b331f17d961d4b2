import { ModelError } from "../model-error.js";

/** Maximum number of characters per token. A longer text exceeded its limit of tokens for certain. */
const TOKEN_LENGTH_MAX = 8;

/** Number of last characters that are searched for repetition, and the longest repeated part. */
const TAIL_LENGTH = 768;
const PERIOD_MAX = 160;
/** The same for a list of numbers, in which every number counts as one character. */
const NUMBERS_LENGTH = 320;
const NUMBERS_PERIOD_MAX = 8;
/** Number of new characters between two searches. */
const CHECK_LENGTH = 160;

/**
 * Ends a streamed answer that fills a schema when it cannot end well: when it exceeds its limit of tokens, or
 * repeats itself. Some servers ignore the limit, and some models write lists without end.
 */
export class RunawayGuard {
  readonly #tokensMax: number;
  #parts = 0;
  #length = 0;
  #unchecked = 0;
  #tail = "";

  constructor(tokensMax: number) {
    this.#tokensMax = tokensMax;
  }

  /** @throws {ModelError} "invalid_output" when `text` exceeds the limit, or the answer repeats itself. */
  add(text: string): void {
    if (text === "") return;
    // A part of a stream has at least one token.
    this.#parts += 1;
    this.#length += text.length;
    this.#unchecked += text.length;
    this.#tail = (this.#tail + text).slice(-2 * TAIL_LENGTH);
    if (this.#parts > this.#tokensMax || this.#length > this.#tokensMax * TOKEN_LENGTH_MAX) {
      throw this.#ended(`exceeded its limit of ${this.#tokensMax} tokens`);
    }
    if (this.#unchecked < CHECK_LENGTH) return;
    this.#unchecked = 0;
    if (isRepetition(this.#tail)) throw this.#ended("repeated itself");
  }

  #ended(problem: string): ModelError {
    return new ModelError(
      "invalid_output",
      `the answer ${problem} and was ended after ${this.#length} characters`,
    );
  }
}

/**
 * Returns whether the end of `text` repeats a short part, or is a list of more than a hundred numbers such as
 * `1, 2, 3`. Equal objects with different numbers are no repetition.
 */
export function isRepetition(text: string): boolean {
  const numbers = text.replaceAll(/\d+/g, "0");
  return isPeriodic(text, TAIL_LENGTH, PERIOD_MAX) || isPeriodic(numbers, NUMBERS_LENGTH, NUMBERS_PERIOD_MAX);
}

/** Returns whether the last `length` characters repeat a part of at most `periodMax` characters. */
function isPeriodic(text: string, length: number, periodMax: number): boolean {
  if (text.length < length) return false;
  const tail = text.slice(-length);
  for (let period = 1; period <= periodMax; period++) {
    if (tail.slice(period) === tail.slice(0, -period)) return true;
  }
  return false;
}
