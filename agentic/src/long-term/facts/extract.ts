import { canonicalText } from "@membus/protocol";
import { z } from "zod";
import { askFor, type ChatModel, loadPrompt } from "../../model/index.js";
import type { CallContext } from "../call-context.js";
import type { Said } from "../record-input.js";
import { type Candidate, FACT_LENGTH_MAX, weakest } from "./fact.js";

/** What a model finds in a talk, in the order in which it finds it. A long talk is read in parts. */
export async function extractFacts(
  model: ChatModel,
  said: readonly Said[],
  given: Omit<Candidate, "text" | "trust">,
  context: CallContext,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const part of partsOf(said, context.options.transcriptLengthMax)) {
    found.push(...(await extractPart(model, part, given, context)));
  }
  return found;
}

async function extractPart(
  model: ChatModel,
  said: readonly Said[],
  given: Omit<Candidate, "text" | "trust">,
  context: CallContext,
): Promise<Candidate[]> {
  const { options, clock, meter, signal } = context;
  const content = loadPrompt("extract-facts", {
    about: JSON.stringify(options.about),
    date: new Date(clock.now() * 1000).toISOString().slice(0, 10),
    messages: transcript(said),
  });
  const schema = answerSchema(options.factCountMax);
  const messages = [{ role: "user" as const, content }];
  const { facts } = await askFor(model, { messages, schema, name: "facts", temperature: 0, signal }, meter);
  return facts.map(({ text, messages: numbers, category }) => {
    // Numbers that there are not count for nothing: then it is nobody's in particular.
    const sayers = numbers.flatMap((n) => said[n - 1] ?? []);
    const trust = weakest((sayers.length > 0 ? sayers : said).map((one) => one.trust));
    return { ...given, text, trust, category: given.category ?? (category?.trim() || undefined) };
  });
}

function answerSchema(countMax: number) {
  const fact = z.object({
    text: z
      .string()
      .max(FACT_LENGTH_MAX)
      .refine((text) => canonicalText(text) !== "", "has no words")
      .describe("One fact in one sentence that is understood by itself."),
    messages: z.array(z.int()).describe("The numbers of the messages that say it."),
    category: z
      .string()
      .max(200)
      .nullable()
      .describe("A word for what it is about; null where there is none."),
  });
  return z.object({ facts: z.array(fact).max(countMax) });
}

/** A message a line, as JSON: nothing that is said in one looks like another. */
export function transcript(said: readonly Said[]): string {
  return said.map(({ role, text }, n) => JSON.stringify({ message: n + 1, role, text })).join("\n");
}

/** Those that say something, in their order, each part within the bound. A message that is longer than that is divided. */
export function partsOf(said: readonly Said[], lengthMax: number): Said[][] {
  const parts: Said[][] = [];
  let room = 0;
  const speaking = said.filter(({ text }) => text !== "");
  for (const piece of speaking.flatMap((one) => piecesOf(one, lengthMax))) {
    if (piece.text.length > room || parts.length === 0) {
      parts.push([]);
      room = lengthMax;
    }
    parts.at(-1)!.push(piece);
    room -= piece.text.length;
  }
  return parts;
}

function piecesOf(said: Said, lengthMax: number): Said[] {
  if (said.text.length <= lengthMax) return [said];
  const count = Math.ceil(said.text.length / lengthMax);
  return Array.from({ length: count }, (_, n) => ({
    ...said,
    text: said.text.slice(n * lengthMax, (n + 1) * lengthMax).toWellFormed(),
  }));
}
