import { canonicalText } from "@membus/protocol/records";
import { z } from "zod";
import { type ChatModel, generateObject, loadPrompt, ModelError } from "../../model/index.js";
import { splitText } from "../../split-text.js";
import type { CallContext } from "../call-context.js";
import type { Utterance } from "../record-input.js";
import { type Candidate, lowestTrust, sharedWords } from "./fact.js";
import { resolveDates } from "./resolve-dates.js";
import { askedNumbers, mayStateFact, speakerOf, statementParts, transcript } from "./transcript.js";

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
  return inParts(statementParts(utterances), context.options.transcriptLengthMax, (part) =>
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

/** Asks about messages with at most `factCountMax` statements. More are asked about in halves. */
async function extractPart(
  model: ChatModel,
  parts: readonly Utterance[],
  given: GivenFields,
  context: CallContext,
): Promise<Candidate[]> {
  const { options, meter, signal } = context;
  const numbers = askedNumbers(parts);
  if (numbers.length > options.factCountMax) {
    const middle = Math.ceil(parts.length / 2);
    const first = await extractPart(model, parts.slice(0, middle), given, context);
    return [...first, ...(await extractPart(model, parts.slice(middle), given, context))];
  }
  const { facts } = await generateObject(
    model,
    {
      messages: [
        { role: "system", content: loadPrompt("extract-facts", { about: JSON.stringify(options.subject) }) },
        { role: "user", content: questionAbout(transcript(parts, given.validFrom), numbers) },
      ],
      demonstration: DEMONSTRATION,
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
      const source = parts[message - 1];
      return !isCopied(text, parts) && (source === undefined || mayStateFact(source));
    })
    .map((fact) => candidateOf(fact, parts, given));
}

function questionAbout(messages: string, numbers: readonly number[]): string {
  return loadPrompt("extract-facts-messages", { messages, numbers: numbers.join(", ") });
}

/** Maximum length of a fact that a model writes, and of its category. */
export const WRITTEN_FACT_LENGTH_MAX = 300;
const CATEGORY_LENGTH_MAX = 40;

const FactSchema = z.object({
  message: z.int().min(0).max(99_999).describe("The number of the message that states it."),
  text: z
    .string()
    .max(WRITTEN_FACT_LENGTH_MAX)
    .refine((text) => canonicalText(text) !== "", "must contain words")
    .describe("One fact in one short sentence with the name of the speaker."),
  category: z.string().max(CATEGORY_LENGTH_MAX).nullable().describe("One word for its topic, or null."),
});

/** Returns the schema of the answer: at most `countMax` facts of 300 characters. */
export function factsSchema(countMax: number) {
  return z.object({ facts: z.array(FactSchema).max(countMax) });
}

/** Small models copy an example with words, so it has none. */
const EXAMPLE = { facts: [{ message: 1, text: "...", category: null }] };

/** A short conversation with one fact of each asked message. */
const DEMONSTRATION = demonstration(factsSchema(5).parse(JSON.parse(loadPrompt("extract-facts-answer"))));

function demonstration(answer: z.infer<ReturnType<typeof factsSchema>>) {
  const numbers = answer.facts.map(({ message }) => message);
  return { question: questionAbout(loadPrompt("extract-facts-example"), numbers), answer };
}

/** Returns whether a model copied a fact from the demonstration, not from the messages. */
function isCopied(text: string, parts: readonly Utterance[]): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  if (!DEMONSTRATION.answer.facts.some((fact) => fact.text === text.trim())) return false;
  return sharedWords(text, parts.map((part) => part.text).join(" ")) < 0.5;
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
    text: thirdPerson(dated, source === undefined ? speaker : speakerOf(source)),
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

/** English beginnings in the first person, and in the third after the name of the speaker. */
const THIRD_PERSON: readonly (readonly [RegExp, string])[] = [
  [/^My\s/, "'s "],
  [/^I(?: am|['’]m)\s/, " is "],
  [/^I(?: have|['’]ve)\s/, " has "],
  [/^(?=(?:I|I['’]\w+|Me|We|We['’]\w+|Our)\s)/, ": "],
];

/** Puts the name of the speaker into a fact that a model left in the first person. */
function thirdPerson(text: string, speaker: string | undefined): string {
  if (speaker === undefined) return text;
  const trimmed = text.trim();
  const found = THIRD_PERSON.find(([beginning]) => beginning.test(trimmed));
  return found === undefined ? text : trimmed.replace(found[0], `${speaker}${found[1]}`);
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
