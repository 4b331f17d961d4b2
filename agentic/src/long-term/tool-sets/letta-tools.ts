import { LIMITS, type MemoryEntry } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { z } from "zod";
import { type Conversation, textOf } from "../../conversation/index.js";
import {
  NAME_ARGUMENT_LENGTH_MAX,
  TEXT_ARGUMENT_LENGTH_MAX,
  type Tool,
  typedTool,
} from "../../tools/index.js";
import type { LongTermMemory } from "../long-term-memory.js";
import { recalledText } from "../recall/recalled-text.js";
import { outcomesText } from "./tool-texts.js";

const DateSchema = z
  .string()
  .max(64)
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a date, such as 2026-05-01 or 2026-05-01T09:30")
  .nullish();

/**
 * Returns the tools of Letta's archive: `archival_memory_insert` and `archival_memory_search`, with date
 * filters.
 */
export function archivalTools(memory: LongTermMemory): Tool[] {
  return [insertTool(memory), searchTool(memory)];
}

function insertTool(memory: LongTermMemory) {
  const parameters = z.object({
    content: z
      .string()
      .max(TEXT_ARGUMENT_LENGTH_MAX)
      .describe("What to remember, understandable on its own."),
    tags: z.array(z.string().max(NAME_ARGUMENT_LENGTH_MAX)).max(50).nullish().describe("Tags to find it by."),
  });
  const run = async ({ content, tags }: z.infer<typeof parameters>): Promise<string> => {
    const metadata = tags?.length ? { tags } : {};
    const { outcomes } = await memory.record(content, { trust: "agent", metadata });
    return outcomesText(outcomes);
  };
  const description = "Stores a memory permanently in the archive.";
  return typedTool({ name: "archival_memory_insert", description, parameters, run });
}

function searchTool(memory: LongTermMemory) {
  const parameters = z.object({
    query: z.string().max(NAME_ARGUMENT_LENGTH_MAX).describe("What to search for, in plain words."),
    tags: z
      .array(z.string().max(NAME_ARGUMENT_LENGTH_MAX))
      .max(50)
      .nullish()
      .describe("Only memories with these tags."),
    tag_match_mode: z.enum(["any", "all"]).default("any").describe("Whether one of the tags is enough."),
    top_k: z.int().min(1).max(100).default(10).describe("Maximum number of results."),
    start_datetime: DateSchema.describe("Only memories from this time on."),
    end_datetime: DateSchema.describe("Only memories before this time."),
  });
  const run = async (args: z.infer<typeof parameters>): Promise<string> => {
    const { query, tags, tag_match_mode, top_k, start_datetime, end_datetime } = args;
    const found = await memory.retrieve(query, {
      limit: top_k,
      tags: tags?.length ? tags : undefined,
      tagsMode: tag_match_mode,
      since: secondsOf(start_datetime),
      until: secondsOf(end_datetime),
    });
    return found.asText() || "No memories were found.";
  };
  const description = "Searches the archive by meaning and words, and by tags and dates.";
  return typedTool({ name: "archival_memory_search", description, parameters, run });
}

/** Returns Letta's `conversation_search`: searches messages by meaning, words, role and time. */
export function conversationTools(conversation: Conversation): Tool[] {
  const parameters = z.object({
    query: z.string().min(1).max(NAME_ARGUMENT_LENGTH_MAX).describe("What to search for, in plain words."),
    roles: z
      .array(z.enum(["user", "assistant", "tool"]))
      .max(3)
      .nullish()
      .describe("Only messages of these roles."),
    limit: z.int().min(1).max(100).default(10).describe("Maximum number of messages."),
    start_date: DateSchema.describe("Only messages from this time on."),
    end_date: DateSchema.describe("Only messages before this time."),
  });
  const run = async ({ query, roles, limit, ...dates }: z.infer<typeof parameters>): Promise<string> => {
    const entries = await conversation.records.search("message", {
      query: query.slice(0, LIMITS.queryLength).toWellFormed(),
      limit,
      since: secondsOf(dates.start_date),
      until: secondsOf(dates.end_date),
      ...(roles?.length && { where: { field: "metadata.role", op: "in" as const, value: roles } }),
    });
    return recalledText(entries.flatMap(lineOf)) || "No messages were found.";
  };
  const description =
    "Searches earlier messages of this conversation, by meaning and words, roles and dates.";
  return [typedTool({ name: "conversation_search", description, parameters, run })];
}

function lineOf(entry: MemoryEntry) {
  const record = readRecord(entry, "message");
  if (record === undefined) return [];
  const time = new Date(entry.occurred_at * 1000).toISOString().slice(0, 16);
  const label = `message of ${time}, by ${record.content.role}`;
  return [{ id: record.key.message, label, text: textOf(record.content) }];
}

function secondsOf(date: string | null | undefined): number | undefined {
  return date == null ? undefined : Math.max(0, Date.parse(date) / 1000);
}
