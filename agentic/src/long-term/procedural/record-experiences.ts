import { type EntryInput, type StoreResult, updateWithRetry } from "@membus/agent-client";
import {
  type Clock,
  keyHash,
  type MemoryEntry,
  type MemoryKey,
  type StoreError,
  type StoreReceipt,
} from "@membus/protocol";
import { canonicalText, factId, recordEntry, type Trust } from "@membus/protocol/records";
import { z } from "zod";
import { type ChatModel, generateObject, loadPrompt } from "../../model/index.js";
import { repeatedSources } from "../../sources.js";
import type { CallContext } from "../call-context.js";
import { inParts } from "../facts/extract.js";
import { FACT_LENGTH_MAX } from "../facts/fact.js";
import { transcript } from "../facts/transcript.js";
import type { NamespaceView } from "../namespace-view.js";
import { type RecordOutcome, refused } from "../outcome.js";
import type { Utterance } from "../record-input.js";

/** A lesson from a task. */
export interface Experience {
  readonly text: string;
  /** Text that it is found by. Absent: its text. */
  readonly whenToUse?: string | undefined;
}

export interface ExperienceFields {
  /** Success of the task, 0..1. */
  readonly value: number;
  readonly outcome?: string | undefined;
  readonly trust: Trust;
  readonly sources?: readonly string[] | undefined;
}

/** Writes experiences. A known experience gets the new value. */
export async function recordExperiences(
  view: NamespaceView,
  experiences: readonly Experience[],
  fields: ExperienceFields,
  { meter, clock }: CallContext,
): Promise<RecordOutcome[]> {
  const outcomes = new Map<number, RecordOutcome>();
  const unique = new Map<string, number>();
  const entries = experiences.flatMap((experience, index) => {
    const text = canonicalText(experience.text);
    const problem = text === "" ? "schema_violation: the text has no words" : lengthProblem(text);
    if (problem !== undefined) outcomes.set(index, refused(experience.text, problem));
    if (problem !== undefined || unique.has(text)) return [];
    unique.set(text, index);
    return [experienceEntry(text, experience.whenToUse, fields)];
  });
  if (entries.length > 0) {
    const { receipts, errors } = await storeWithSources(view, entries, fields.sources, clock);
    const indices = [...unique.values()];
    for (const { index, outcome } of receipts) {
      const { text } = entries[index]!.content as { text: string };
      const name = outcome === "created" ? "new" : outcome === "updated" ? "updated" : "duplicate";
      outcomes.set(indices[index]!, { outcome: name, text, id: factId(text) });
    }
    for (const { index, code, message } of errors) {
      outcomes.set(indices[index]!, refused(experiences[indices[index]!]!.text, `${code}: ${message}`));
    }
    meter.written(receipts.filter(({ outcome }) => outcome !== "unchanged").length);
  }
  return experiences.map(({ text }, index) => outcomes.get(index) ?? duplicateOf(canonicalText(text)));
}

/** Stores experiences with the sources of known ones added, at the revision that was read. */
async function storeWithSources(
  view: NamespaceView,
  entries: readonly ExperienceEntry[],
  sources: readonly string[] | undefined,
  clock: Clock,
): Promise<Pick<StoreResult, "receipts" | "errors">> {
  if (sources === undefined) return view.store(entries);
  const receipts = new Map<number, StoreReceipt>();
  const errors = new Map<number, StoreError>();
  let left = [...entries.keys()];
  await updateWithRetry(
    () => view.byKey(left.map((index) => entries[index]!.key as MemoryKey)),
    (known) => left.map((index) => withSources(entries[index]!, known, sources)),
    async (changed) => {
      const result = await view.store(changed);
      for (const receipt of result.receipts)
        receipts.set(left[receipt.index]!, { ...receipt, index: left[receipt.index]! });
      for (const index of left) errors.delete(index);
      for (const error of result.errors)
        errors.set(left[error.index]!, { ...error, index: left[error.index]! });
      left = left.filter((index) => errors.get(index)?.code === "conflict");
      return left.length === 0 || undefined;
    },
    { clock, onExhausted: () => undefined },
  );
  return { receipts: [...receipts.values()], errors: [...errors.values()] };
}

type ExperienceEntry = ReturnType<typeof experienceEntry>;

function withSources(
  entry: ExperienceEntry,
  known: ReadonlyMap<string, MemoryEntry>,
  sources: readonly string[],
): EntryInput {
  const before = known.get(keyHash(entry.key as MemoryKey));
  const named = before === undefined ? sources : repeatedSources(before.sources, sources);
  return { ...entry, ...(named.length > 0 && { sources: [...named] }), if_revision: before?.revision ?? 0 };
}

function duplicateOf(text: string): RecordOutcome {
  return { outcome: "duplicate", text, id: factId(text) };
}

function lengthProblem(text: string): string | undefined {
  if (text.length <= FACT_LENGTH_MAX) return undefined;
  return `too_large: the experience has ${text.length} characters, limit ${FACT_LENGTH_MAX}. Split it`;
}

function experienceEntry(text: string, whenToUse: string | undefined, fields: ExperienceFields) {
  const { value, outcome, trust } = fields;
  const when_to_use = canonicalText(whenToUse ?? text);
  const record = recordEntry({
    kind: "experience",
    key: { experience: factId(text) },
    content: { text, when_to_use },
    metadata: { value, trust, ...(outcome !== undefined && { outcome }) },
  });
  return { ...record, text: when_to_use || text, context: text };
}

/** Maximum length of an experience that a model writes, and of its situation. */
const WRITTEN_LENGTH_MAX = 500;

/** Schema of the lessons from messages. */
export const ExperiencesSchema = z.object({
  experiences: z
    .array(
      z.object({
        text: z.string().min(1).max(WRITTEN_LENGTH_MAX).describe("The advice, understandable on its own."),
        when_to_use: z
          .string()
          .max(WRITTEN_LENGTH_MAX)
          .describe("The situation or the task in which it helps."),
      }),
    )
    .max(10),
});

/** Returns the lessons that a model finds in messages. */
export async function extractExperiences(
  model: ChatModel,
  utterances: readonly Utterance[],
  value: number,
  { options, meter, clock, signal }: CallContext,
): Promise<Experience[]> {
  const now = clock.now();
  return inParts(utterances, options.transcriptLengthMax, async (part) => {
    const messages = transcript(part, now);
    const content = loadPrompt("extract-experiences", { value: String(value), messages });
    const question = {
      messages: [{ role: "user" as const, content }],
      schema: ExperiencesSchema,
      name: "experiences",
      signal,
    };
    const { experiences } = await generateObject(model, question, meter);
    return experiences.map(({ text, when_to_use }) => ({ text, whenToUse: when_to_use }));
  });
}
