import { type EntryInput, pauseAfterConflict, type StoreResult } from "@membus/agent-client";
import {
  type Clock,
  canonicalText,
  factId,
  keyHash,
  type MemoryEntry,
  type MemoryKey,
  recordEntry,
  type StoreError,
  type StoreReceipt,
  type Trust,
} from "@membus/protocol";
import { z } from "zod";
import { askFor, type ChatModel, loadPrompt } from "../../model/index.js";
import { repeatedSources } from "../../sources.js";
import type { CallContext } from "../call-context.js";
import { partsOf, transcript } from "../facts/extract.js";
import { FACT_LENGTH_MAX } from "../facts/fact.js";
import { type RecordOutcome, refused } from "../outcome.js";
import type { Said } from "../record-input.js";
import type { NamespaceView } from "../shelf.js";

/** What was learned from doing something. */
export interface Experience {
  readonly text: string;
  /** What it is found by. Absent: its text. */
  readonly whenToUse?: string | undefined;
}

export interface ExperienceFields {
  /** How well it went, 0..1. */
  readonly value: number;
  readonly outcome?: string | undefined;
  readonly trust: Trust;
  readonly sources?: readonly string[] | undefined;
}

/** Writes experiences. One that is known gets the new value. */
export async function recordExperiences(
  shelf: NamespaceView,
  experiences: readonly Experience[],
  fields: ExperienceFields,
  { meter, clock }: CallContext,
): Promise<RecordOutcome[]> {
  const outcomes = new Map<number, RecordOutcome>();
  const unique = new Map<string, number>();
  const entries = experiences.flatMap((experience, index) => {
    const text = canonicalText(experience.text);
    const fault = text === "" ? "schema_violation: there are no words in it" : tooLong(text);
    if (fault !== undefined) outcomes.set(index, refused(experience.text, fault));
    if (fault !== undefined || unique.has(text)) return [];
    unique.set(text, index);
    return [experienceEntry(text, experience.whenToUse, fields)];
  });
  if (entries.length > 0) {
    const { receipts, errors } = await storeSourced(shelf, entries, fields.sources, clock);
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
  return experiences.map(({ text }, index) => outcomes.get(index) ?? twinOf(canonicalText(text)));
}

/** Others may record the same experiences at the same time; each attempt that fails is one of theirs that has succeeded. */
const ATTEMPTS_MAX = 16;

/** One that is known has the sources of before, too: it is stored over the revision that these were read of. */
async function storeSourced(
  shelf: NamespaceView,
  entries: readonly SourcedEntry[],
  sources: readonly string[] | undefined,
  clock: Clock,
): Promise<Pick<StoreResult, "receipts" | "errors">> {
  if (sources === undefined) return shelf.store(entries);
  const receipts = new Map<number, StoreReceipt>();
  const errors = new Map<number, StoreError>();
  let left = [...entries.keys()];
  for (let attempt = 1; left.length > 0 && attempt <= ATTEMPTS_MAX; attempt++) {
    if (attempt > 1) await pauseAfterConflict(attempt, clock);
    const known = await shelf.byKey(left.map((index) => entries[index]!.key as MemoryKey));
    const result = await shelf.store(left.map((index) => sourcedEntry(entries[index]!, known, sources)));
    for (const receipt of result.receipts)
      receipts.set(left[receipt.index]!, { ...receipt, index: left[receipt.index]! });
    for (const index of left) errors.delete(index);
    for (const error of result.errors)
      errors.set(left[error.index]!, { ...error, index: left[error.index]! });
    left = left.filter((index) => errors.get(index)?.code === "conflict");
  }
  return { receipts: [...receipts.values()], errors: [...errors.values()] };
}

type SourcedEntry = ReturnType<typeof experienceEntry>;

function sourcedEntry(
  entry: SourcedEntry,
  known: ReadonlyMap<string, MemoryEntry>,
  sources: readonly string[],
): EntryInput {
  const before = known.get(keyHash(entry.key as MemoryKey));
  const named = before === undefined ? sources : repeatedSources(before.sources, sources);
  return { ...entry, ...(named.length > 0 && { sources: [...named] }), if_revision: before?.revision ?? 0 };
}

function twinOf(text: string): RecordOutcome {
  return { outcome: "duplicate", text, id: factId(text) };
}

function tooLong(text: string): string | undefined {
  if (text.length <= FACT_LENGTH_MAX) return undefined;
  return `too_large: an experience has at most ${FACT_LENGTH_MAX} characters, and this one ${text.length}`;
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

const ExperiencesSchema = z.object({
  experiences: z
    .array(
      z.object({
        text: z.string().min(1).max(FACT_LENGTH_MAX).describe("The advice, understood by itself."),
        when_to_use: z.string().max(FACT_LENGTH_MAX).describe("The situation or the task in which it helps."),
      }),
    )
    .max(100),
});

/** What a model learns from how something was done. */
export async function extractExperiences(
  model: ChatModel,
  said: readonly Said[],
  value: number,
  { options, meter, signal }: CallContext,
): Promise<Experience[]> {
  const found: Experience[] = [];
  for (const part of partsOf(said, options.transcriptLengthMax)) {
    const content = loadPrompt("extract-experiences", { value: String(value), messages: transcript(part) });
    const messages = [{ role: "user" as const, content }];
    const question = { messages, schema: ExperiencesSchema, name: "experiences", signal };
    const { experiences } = await askFor(model, question, meter);
    found.push(...experiences.map(({ text, when_to_use }) => ({ text, whenToUse: when_to_use })));
  }
  return found;
}
