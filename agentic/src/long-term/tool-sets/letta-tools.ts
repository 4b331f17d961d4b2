import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import type { LongTermMemory } from "../long-term-memory.js";
import { outcomesText } from "./answers.js";

const DateSchema = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a date, such as 2026-05-01 or 2026-05-01T09:30")
  .nullish();

/** The tools of Letta's archive: `archival_memory_insert` and `archival_memory_search`, which knows dates. */
export function archivalTools(memory: LongTermMemory): Tool[] {
  return [insertTool(memory), searchTool(memory)] as unknown as Tool[];
}

function insertTool(memory: LongTermMemory) {
  const parameters = z.object({
    content: z.string().describe("What to remember, understood by itself."),
    tags: z.array(z.string()).max(50).nullish().describe("Words to find it by."),
  });
  const run = async ({ content, tags }: z.infer<typeof parameters>): Promise<string> => {
    const metadata = tags?.length ? { tags } : {};
    const { outcomes } = await memory.record(content, { trust: "agent", metadata });
    return outcomesText(outcomes);
  };
  const description = "Keeps something for good in the archive.";
  return { name: "archival_memory_insert", description, parameters, run };
}

function searchTool(memory: LongTermMemory) {
  const parameters = z.object({
    query: z.string().describe("What to look for, in plain words."),
    tags: z.array(z.string()).max(50).nullish().describe("Only what has these tags."),
    tag_match_mode: z.enum(["any", "all"]).default("any").describe("Whether one of the tags is enough."),
    top_k: z.int().min(1).max(100).default(10).describe("Most results."),
    start_datetime: DateSchema.describe("Only what was so at or after this time."),
    end_datetime: DateSchema.describe("Only what was so before this time."),
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
  return { name: "archival_memory_search", description, parameters, run };
}

function secondsOf(date: string | null | undefined): number | undefined {
  return date == null ? undefined : Math.max(0, Date.parse(date) / 1000);
}
