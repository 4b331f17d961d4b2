import { LIMITS, type MetadataValue } from "@membus/protocol";
import { z } from "zod";
import {
  NAME_ARGUMENT_LENGTH_MAX,
  TEXT_ARGUMENT_LENGTH_MAX,
  type Tool,
  typedTool,
} from "../../tools/index.js";
import type { LongTermMemory } from "../long-term-memory.js";
import { RECALL_DEFAULTS } from "../recall/recall.js";
import { escaped } from "../recall/recalled-text.js";

export interface GaiaToolsOptions {
  /**
   * Whether `add_memory` queues the memory. False: it answers after the memory is stored.
   * @default true
   */
  readonly async?: boolean | undefined;
}

const MetadataSchema = z.record(
  z.string().max(NAME_ARGUMENT_LENGTH_MAX),
  z.union([
    z.string().max(TEXT_ARGUMENT_LENGTH_MAX),
    z.number().min(-1e15).max(1e15),
    z.boolean(),
    z.array(z.string().max(NAME_ARGUMENT_LENGTH_MAX)).max(LIMITS.listElements),
  ]),
);

/** Returns the two tools of Gaia: `add_memory` and `search_memory`, with Gaia's answer texts. */
export function gaiaTools(memory: LongTermMemory, { async = true }: GaiaToolsOptions = {}): Tool[] {
  return [addTool(memory, async), searchTool(memory)];
}

function addTool(memory: LongTermMemory, async: boolean) {
  const parameters = z.object({
    content: z.string().max(TEXT_ARGUMENT_LENGTH_MAX).describe("What to remember, in plain words."),
    metadata: MetadataSchema.nullish().describe("Additional data, such as a category or a type."),
  });
  const run = async ({ content, metadata }: z.infer<typeof parameters>): Promise<string> => {
    const options = { ...fieldsOf(metadata ?? {}), trust: "agent" as const };
    if (async) {
      const { eventIds, status } = await memory.record(content, { ...options, wait: false });
      return `Memory queued for processing (Event ID: ${eventIds[0]}, Status: ${status})`;
    }
    const [outcome] = (await memory.record(content, options)).outcomes;
    if (outcome?.id === undefined) return `Failed to store memory: ${outcome?.reason}`;
    return `Memory stored successfully with ID: ${outcome.id}`;
  };
  const description =
    "Stores a memory for later: preferences, contacts, ids, context, or approaches that worked. Be specific: names, values, dates.";
  return typedTool({ name: "add_memory", description, parameters, run });
}

/** Moves the category out of the metadata. */
function fieldsOf({ category, ...metadata }: Readonly<Record<string, MetadataValue>>) {
  return { metadata, ...(typeof category === "string" && category !== "" && { category }) };
}

function searchTool(memory: LongTermMemory) {
  const parameters = z.object({
    query: z.string().max(NAME_ARGUMENT_LENGTH_MAX).describe("What to search for, in plain words."),
    limit: z.int().min(1).max(100).default(RECALL_DEFAULTS.limit).describe("Maximum number of results."),
  });
  const run = async ({ query, limit }: z.infer<typeof parameters>): Promise<string> => {
    const { memories } = await memory.retrieve(query, { limit });
    if (memories.length === 0) return "No matching memories found";
    const lines = memories.map(
      ({ text, score }, n) => `${n + 1}. ${escaped(text)} (score: ${score.toFixed(2)})\n\n`,
    );
    return `Found the following memories:\n\n${lines.join("")}`;
  };
  const description =
    "Searches the memories for answers to a question. Results are numbered, with scores of 0 to 1.";
  return typedTool({ name: "search_memory", description, parameters, run });
}
