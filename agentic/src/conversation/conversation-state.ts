import { didYouMean, LIMITS } from "@membus/protocol";
import { MessageContentSchema } from "@membus/protocol/records";
import { z } from "zod";
import { kindIs } from "../kind-filter.js";
import type { CostMeter } from "../model/index.js";
import { type PositionRange, placesAfter } from "../positions.js";
import type { ConversationRecords, NewRecord } from "./conversation-records.js";
import { messageFields, wholeMessage } from "./message.js";
import { readSummary, SummaryImageSchema, summaryEntry } from "./summary.js";

const IdSchema = z.string().min(1).max(LIMITS.idLength);

const StateMessageSchema = z.strictObject({
  id: IdSchema,
  marks: z.array(z.string()),
  message: MessageContentSchema,
  /** Position in the order. Loading assigns a new one. */
  seq: z.int().min(0),
});

const StateSummarySchema = z.strictObject({
  text: z.string(),
  keyFacts: z.array(z.string()),
  openThreads: z.array(z.string()),
  covers: z.strictObject({ from: z.int().min(0), to: z.int().min(0) }),
  level: z.int().min(1),
  userRequests: z.string(),
  images: z.array(SummaryImageSchema),
});

const PARTS = {
  version: z.literal(1),
  conversation: IdSchema,
  messages: z.array(StateMessageSchema),
  summaries: z.array(StateSummarySchema),
};

const StateSchema = z.strictObject(PARTS);
const PartialStateSchema = StateSchema.partial();

/** A conversation as JSON: its messages in order, and its summaries. */
export type ConversationState = z.infer<typeof StateSchema>;

export async function readState(records: ConversationRecords): Promise<ConversationState> {
  const messages = await records.messages();
  const summaries: ConversationState["summaries"] = [];
  for await (const entry of records.entries("summary", { order: "oldest" })) {
    const summary = readSummary(entry);
    if (summary === undefined) continue;
    const { sources: _sources, ...fields } = summary;
    summaries.push(structuredClone(fields) as (typeof summaries)[number]);
  }
  return {
    version: 1,
    conversation: records.conversation,
    messages: messages.map((read) => ({
      id: read.id,
      marks: [...read.marks],
      message: wholeMessage(read),
      seq: read.seq,
    })),
    summaries,
  };
}

/** @throws {TypeError} for an invalid state, or with `strict` for an incomplete one. */
function parseState(input: unknown, strict: boolean): z.infer<typeof PartialStateSchema> {
  const parsed = (strict ? StateSchema : PartialStateSchema).safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const unknown = issue.code === "unrecognized_keys" ? didYouMean(issue.keys[0]!, Object.keys(PARTS)) : "";
  throw new TypeError(`invalid conversation state: ${issue.path.join(".")}: ${issue.message}${unknown}`);
}

/**
 * Checks everything, then deletes the existing records, then writes the state. Offloaded texts are not part
 * of a state: the messages contain them, and they are offloaded again when necessary.
 */
export async function loadState(
  records: ConversationRecords,
  input: unknown,
  strict: boolean,
  meter: CostMeter,
): Promise<void> {
  const { messages, summaries } = parseState(input, strict);
  const entries = messages?.map((message) => messageFields(records.conversation, message));
  if (messages !== undefined && new Set(messages.map(({ id }) => id)).size < messages.length) {
    throw new TypeError("invalid conversation state: two messages have the same id");
  }
  if (entries !== undefined) meter.written(await records.forget({ where: kindIs("message", "offload") }));
  if (summaries !== undefined) meter.written(await records.forget({ where: kindIs("summary") }));
  const seqs = await storeMessages(records, entries ?? []);
  const moved = new Map(seqs.map((seq, index) => [messages![index]!.seq, seq]));
  const placed = messages === undefined ? (covers: PositionRange) => covers : placesAfter(moved).range;
  const written: NewRecord[] = [];
  for (const summary of summaries ?? []) {
    const covers = placed(summary.covers);
    const sources = await records.sourcesWithin(covers);
    written.push(summaryEntry(records.conversation, { ...summary, covers, sources }));
  }
  await records.store(written);
  meter.written(seqs.length + written.length);
}

/** @returns the new `seq` of each message. */
async function storeMessages(records: ConversationRecords, entries: readonly NewRecord[]): Promise<number[]> {
  const { receipts } = await records.store(entries);
  return entries.map((_, index) => receipts.get(index)!.revision!);
}
