import { canonicalText } from "@membus/protocol/records";
import { z } from "zod";
import { type ChatModel, generateObject, loadPrompt } from "../../model/index.js";
import type { CallContext } from "../call-context.js";
import type { Utterance } from "../record-input.js";
import { type Candidate, FACT_LENGTH_MAX, lowestTrust } from "./fact.js";

/** Returns the facts that a model finds in a conversation, in order. A long conversation is read in parts. */
export async function extractFacts(
  model: ChatModel,
  utterances: readonly Utterance[],
  given: Omit<Candidate, "text" | "trust">,
  context: CallContext,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const part of partsOf(utterances, context.options.transcriptLengthMax)) {
    found.push(...(await extractPart(model, part, given, context)));
  }
  return found;
}

async function extractPart(
  model: ChatModel,
  utterances: readonly Utterance[],
  given: Omit<Candidate, "text" | "trust">,
  context: CallContext,
): Promise<Candidate[]> {
  const { options, clock, meter, signal } = context;
  const content = loadPrompt("extract-facts", {
    about: JSON.stringify(options.subject),
    date: new Date(clock.now() * 1000).toISOString().slice(0, 10),
    messages: transcript(utterances),
  });
  const schema = answerSchema(options.factCountMax);
  const messages = [{ role: "user" as const, content }];
  const { facts } = await generateObject(
    model,
    { messages, schema, name: "facts", temperature: 0, signal },
    meter,
  );
  return facts.map(({ text, messages: numbers, category }) => {
    // Unknown message numbers are ignored. Without a known number, the fact could be from any message.
    const speakers = numbers.flatMap((n) => utterances[n - 1] ?? []);
    const trust = lowestTrust((speakers.length > 0 ? speakers : utterances).map((one) => one.trust));
    return { ...given, text, trust, category: given.category ?? (category?.trim() || undefined) };
  });
}

function answerSchema(countMax: number) {
  const fact = z.object({
    text: z
      .string()
      .max(FACT_LENGTH_MAX)
      .refine((text) => canonicalText(text) !== "", "must contain words")
      .describe("One fact in one sentence that is understandable on its own."),
    messages: z.array(z.int()).describe("The numbers of the messages that state it."),
    category: z.string().max(200).nullable().describe("A word for its topic. null if there is none."),
  });
  return z.object({ facts: z.array(fact).max(countMax) });
}

/** Formats messages as one line of JSON each, so that no text can imitate another message. */
export function transcript(utterances: readonly Utterance[]): string {
  return utterances.map(({ role, text }, n) => JSON.stringify({ message: n + 1, role, text })).join("\n");
}

/**
 * Splits utterances with text into parts of at most `lengthMax` characters, in order. A longer utterance is
 * divided.
 */
export function partsOf(utterances: readonly Utterance[], lengthMax: number): Utterance[][] {
  const parts: Utterance[][] = [];
  let available = 0;
  const withText = utterances.filter(({ text }) => text !== "");
  for (const piece of withText.flatMap((one) => piecesOf(one, lengthMax))) {
    if (piece.text.length > available || parts.length === 0) {
      parts.push([]);
      available = lengthMax;
    }
    parts.at(-1)!.push(piece);
    available -= piece.text.length;
  }
  return parts;
}

function piecesOf(utterances: Utterance, lengthMax: number): Utterance[] {
  if (utterances.text.length <= lengthMax) return [utterances];
  const count = Math.ceil(utterances.text.length / lengthMax);
  return Array.from({ length: count }, (_, n) => ({
    ...utterances,
    text: utterances.text.slice(n * lengthMax, (n + 1) * lengthMax).toWellFormed(),
  }));
}
