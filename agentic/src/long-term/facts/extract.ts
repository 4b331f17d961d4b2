import { canonicalText } from "@membus/protocol/records";
import { z } from "zod";
import { type ChatModel, generateObject, loadPrompt, ModelError } from "../../model/index.js";
import { splitText } from "../../split-text.js";
import type { CallContext } from "../call-context.js";
import type { Utterance } from "../record-input.js";
import { isStatement } from "../statement.js";
import { type Candidate, lowestTrust } from "./fact.js";
import { dayOf, resolveDates } from "./resolve-dates.js";

/** Parts of a conversation that are still too large for the model are not divided below this length. */
const PART_LENGTH_MIN = 500;

/** Fields of every candidate of a conversation. `validFrom` is the time of messages without their own. */
export type GivenFields = Omit<Candidate, "text" | "trust">;

/**
 * Returns the facts that a model finds in a conversation, in order. A long conversation is read in parts, and
 * a part that exceeds the context of the model is divided further.
 * @throws {ModelError} "too_large" if the context of the model is too small for any part.
 */
export async function extractFacts(
  model: ChatModel,
  utterances: readonly Utterance[],
  given: GivenFields,
  context: CallContext,
): Promise<Candidate[]> {
  return inParts(utterances, context.options.transcriptLengthMax, (part) =>
    extractPart(model, part, given, context),
  );
}

/** Returns the results of all parts of at most `lengthMax` characters. Too large parts are halved. */
export async function inParts<T>(
  utterances: readonly Utterance[],
  lengthMax: number,
  read: (part: readonly Utterance[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for (const part of partsOf(utterances, lengthMax)) {
    try {
      found.push(...(await read(part)));
    } catch (error) {
      const length = part.reduce((sum, { text }) => sum + text.length, 0);
      const isTooLarge = error instanceof ModelError && error.code === "too_large";
      if (!isTooLarge || length <= PART_LENGTH_MIN) throw error;
      found.push(...(await inParts(part, Math.ceil(length / 2), read)));
    }
  }
  return found;
}

async function extractPart(
  model: ChatModel,
  utterances: readonly Utterance[],
  given: GivenFields,
  { options, meter, signal }: CallContext,
): Promise<Candidate[]> {
  const content = loadPrompt("extract-facts", {
    about: JSON.stringify(options.subject),
    messages: transcript(utterances, given.validFrom),
  });
  const { facts } = await generateObject(
    model,
    {
      messages: [{ role: "user" as const, content }],
      schema: factsSchema(options.factCountMax),
      example: EXAMPLE,
      name: "facts",
      temperature: 0,
      signal,
    },
    meter,
  );
  return facts
    .filter(({ text, message }) => {
      const source = utterances[message - 1];
      return !isCopied(text, utterances) && (source === undefined || !isOnlyQuestion(source));
    })
    .map((fact) => candidateOf(fact, utterances, given));
}

/** Maximum length of a fact that a model writes, and of its category. */
export const WRITTEN_FACT_LENGTH_MAX = 300;
const CATEGORY_LENGTH_MAX = 40;

const FactSchema = z.object({
  text: z
    .string()
    .max(WRITTEN_FACT_LENGTH_MAX)
    .refine((text) => canonicalText(text) !== "", "must contain words")
    .describe("One fact in one short sentence with the name of the speaker."),
  message: z.int().min(0).max(99_999).describe("The number of the message that states it."),
  category: z.string().max(CATEGORY_LENGTH_MAX).nullable().describe("One word for its topic, or null."),
});

/** Returns the schema of the answer: at most `countMax` facts of 300 characters. */
export function factsSchema(countMax: number) {
  return z.object({ facts: z.array(FactSchema).max(countMax) });
}

/** Small models copy an example with words, so it has none. */
const EXAMPLE = { facts: [{ text: "...", message: 1, category: null }] };

/** Facts in the prompt that explain the rules. */
const PROMPT_FACTS = ["Zoe sold her kayak on 2019-03-04.", "Zoe's boss is Max."];

/** Returns whether a model copied a fact from the prompt, not from the messages. */
function isCopied(text: string, utterances: readonly Utterance[]): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  if (!PROMPT_FACTS.includes(text.trim())) return false;
  return !utterances.some((one) => /kayak|\bMax\b/.test(one.text));
}

/** Returns whether a message only asks, and not about its speaker. Facts "from" it are invented. */
function isOnlyQuestion(utterance: Utterance): boolean {
  return !isStatement(utterance) && !/\b(I|I['’]\w+|my|we|our)\b/i.test(utterance.text);
}

function candidateOf(
  { text, message, category }: z.infer<typeof FactSchema>,
  utterances: readonly Utterance[],
  given: GivenFields,
): Candidate {
  // Without a known number, the fact could be from any message.
  const source = utterances[message - 1];
  const sources = source === undefined ? utterances : [source];
  const times = sources.map(({ at }) => at ?? given.validFrom);
  const speaker = commonSpeaker(sources);
  const validFrom = Math.max(...times);
  const dated = resolveDates(text, validFrom);
  return {
    ...given,
    validFrom,
    text: speaker === undefined ? dated : thirdPerson(dated, speaker),
    trust: lowestTrust(sources.map(({ trust }) => trust)),
    ...(speaker !== undefined && { speaker }),
    category: given.category ?? (category?.trim() || undefined),
  };
}

/** Returns the name of the speaker of all utterances, if they have one. */
function commonSpeaker(utterances: readonly Utterance[]): string | undefined {
  const [first, ...others] = utterances.map(({ speaker }) => speaker);
  return others.every((other) => other === first) ? first : undefined;
}

function speakerOf({ speaker, role }: Utterance): string {
  return speaker ?? (role === "user" ? "The user" : role === "tool" ? "A tool" : "The assistant");
}

/** Adds the name of the speaker to a fact that a model left in the first person. */
function thirdPerson(text: string, speaker: string): string {
  return /^(I|I['’]\w+|My|Me|We|We['’]\w+|Our)\s/.test(text.trim()) ? `${speaker}: ${text.trim()}` : text;
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

/**
 * Splits utterances with text into parts of at most `lengthMax` characters, in order. A longer utterance is
 * divided between paragraphs or sentences.
 */
function partsOf(utterances: readonly Utterance[], lengthMax: number): Utterance[][] {
  const parts: Utterance[][] = [];
  let available = 0;
  const pieces = utterances.flatMap((one) =>
    splitText(one.text, lengthMax).map((text) => ({ ...one, text })),
  );
  for (const piece of pieces) {
    if (piece.text.length > available || parts.length === 0) {
      parts.push([]);
      available = lengthMax;
    }
    parts.at(-1)!.push(piece);
    available -= piece.text.length;
  }
  return parts;
}
