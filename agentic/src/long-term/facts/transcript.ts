import { splitText } from "../../split-text.js";
import type { Utterance } from "../record-input.js";
import { isStatement, sentencesOf } from "../statement.js";
import { dayOf, resolveDates } from "./resolve-dates.js";

/** A longer message is divided into passages of this length, a shorter one into sentences. */
const PASSAGE_LENGTH_MAX = 1_000;
/** An English sentence that continues with another statement of its speaker. */
const NEXT_CLAUSE = /,? and (?=(?:I|my|we|our)\b)/;
const FIRST_PERSON = /\b(I|I['’]\w+|my|we|our)\b/i;
/** Scripts without spaces between words. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u;

/**
 * Divides what people and tools say into parts of one statement, in order, so that a small model omits none of
 * them. Each part keeps the speaker and the time of its message. Messages of an assistant stay whole, if others
 * say anything.
 */
export function statementParts(utterances: readonly Utterance[]): Utterance[] {
  const isAlone = utterances.every(isAssistant);
  return utterances.flatMap((one) =>
    isAssistant(one) && !isAlone ? one : partsOfText(one.text).map((text) => ({ ...one, text })),
  );
}

function partsOfText(text: string): string[] {
  if (text.length > PASSAGE_LENGTH_MAX) return splitText(text, PASSAGE_LENGTH_MAX);
  return sentencesOf(text).flatMap((sentence) => sentence.split(NEXT_CLAUSE));
}

/** Returns whether a part may state a fact: it is a statement, or a person asks about themselves. */
export function mayStateFact(part: Utterance): boolean {
  return isStatement(part) || (!isAssistant(part) && FIRST_PERSON.test(part.text));
}

/**
 * Returns the numbers of the parts that a model is asked about: statements of people and tools with more than
 * two words, else statements of assistants, else all parts.
 */
export function askedNumbers(parts: readonly Utterance[]): number[] {
  const all = parts.map((_, n) => n + 1);
  const stated = all.filter((number) => mayStateFact(parts[number - 1]!) && isLong(parts[number - 1]!));
  const others = stated.filter((number) => !isAssistant(parts[number - 1]!));
  return [others, stated, all].find(({ length }) => length > 0) ?? [];
}

function isLong({ text }: Utterance): boolean {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).length > 2 || DENSE.test(text);
}

function isAssistant({ role, speaker }: Utterance): boolean {
  return role === "assistant" && speaker === undefined;
}

/** Returns the name that a model sees. */
export function speakerOf({ speaker, role }: Utterance): string {
  return speaker ?? (role === "user" ? "The user" : role === "tool" ? "A tool" : "The assistant");
}

/**
 * Formats messages as one line of JSON each, so that no text can imitate another message. Relative dates are
 * resolved against the time of the message, or `at`.
 */
export function transcript(utterances: readonly Utterance[], at: number): string {
  return utterances
    .map((one, n) => {
      const time = one.at ?? at;
      const text = resolveDates(one.text, time);
      return JSON.stringify({ message: n + 1, speaker: speakerOf(one), date: dayOf(time), text });
    })
    .join("\n");
}
