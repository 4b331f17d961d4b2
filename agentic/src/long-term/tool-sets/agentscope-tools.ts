import { z } from "zod";
import {
  NAME_ARGUMENT_LENGTH_MAX,
  TEXT_ARGUMENT_LENGTH_MAX,
  type Tool,
  typedTool,
} from "../../tools/index.js";
import type { LongTermMemory } from "../long-term-memory.js";
import { RECALL_DEFAULTS } from "../recall/recall.js";
import { outcomesText, retrieveForEach } from "./tool-texts.js";

/** Purpose of an AgentScope memory. */
export type AgentScopeMemory = "personal" | "task" | "tool";

interface Wording {
  readonly record: string;
  readonly content: string;
  readonly retrieve: string;
  readonly keywords: string;
  readonly limit: number;
}

const WORDING: Readonly<Record<AgentScopeMemory, Wording>> = {
  personal: {
    record:
      "Stores facts about a person that may be useful later: preferences, habits, likes and dislikes, personal facts. State who, when, where, what and why.",
    content: "Facts, each understandable on its own.",
    retrieve:
      "Finds stored facts about a person. Call it before you answer anything about their preferences, their past or themselves, instead of guessing.",
    keywords: "What to search for: names, dates, places, subjects. Several keywords find more.",
    limit: RECALL_DEFAULTS.limit,
  },
  task: {
    record:
      "Stores lessons from a task: the goal, the steps, successes, failures, and their reasons. Call it after you have solved a problem or failed to.",
    content: "Lessons, each understandable on its own.",
    retrieve:
      "Finds lessons from similar tasks. Call it before you start on a problem or recommend how to solve one.",
    keywords: "Topic of the task, in technical terms.",
    limit: 3,
  },
  tool: {
    record:
      "Stores the results of tool calls, including failed ones, and writes guidelines for these tools from all their calls.",
    content:
      'One JSON text for each call, with the fields create_time ("YYYY-MM-DD HH:MM:SS"), tool_name, input (object), output (text), token_cost (integer), success (boolean) and time_cost (seconds).',
    retrieve:
      "Returns the guidelines of tools: what works, what fails, success rate, cost and time. Call it before you use a tool that you are not sure of.",
    keywords: "Exact names of tools.",
    limit: RECALL_DEFAULTS.limit,
  },
};

/**
 * Returns the two tools of AgentScope's long-term memories: `record_to_memory` and `retrieve_from_memory`.
 */
export function agentScopeTools(memory: LongTermMemory, kind: AgentScopeMemory = "personal"): Tool[] {
  const wording = WORDING[kind];
  return [recordTool(memory, kind, wording), retrieveTool(memory, kind, wording)];
}

function recordTool(memory: LongTermMemory, kind: AgentScopeMemory, wording: Wording) {
  const shape = {
    thinking: z.string().max(TEXT_ARGUMENT_LENGTH_MAX).describe("Why this is worth storing."),
    content: z.array(z.string().max(TEXT_ARGUMENT_LENGTH_MAX)).min(1).max(100).describe(wording.content),
  };
  const score = z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("How well it went: 0 for a failure, 1 for a success.");
  const parameters = z.object(kind === "task" ? { ...shape, score } : shape);
  const run = async (args: z.infer<typeof parameters>): Promise<string> => {
    const { content } = args;
    if (kind === "tool") {
      const { outcomes, guidelines } = await memory.recordToolCalls(content);
      return outcomesText(outcomes, guidelines);
    }
    if (kind === "personal") return outcomesText((await memory.record(content, { trust: "agent" })).outcomes);
    const value = "score" in args ? (args.score as number) : 1;
    return outcomesText((await memory.recordExperiences(content, { value, trust: "agent" })).outcomes);
  };
  return typedTool({ name: "record_to_memory", description: wording.record, parameters, run });
}

function retrieveTool(memory: LongTermMemory, kind: AgentScopeMemory, wording: Wording) {
  const parameters = z.object({
    keywords: z.array(z.string().max(NAME_ARGUMENT_LENGTH_MAX)).min(1).max(20).describe(wording.keywords),
    limit: z
      .int()
      .min(1)
      .max(100)
      .default(wording.limit)
      .describe("Maximum number of memories for each keyword."),
  });
  const run = async ({ keywords, limit }: z.infer<typeof parameters>): Promise<string> => {
    if (kind === "tool")
      return (await memory.guidelines(keywords)).asText() || "There are no guidelines yet.";
    const kinds = kind === "personal" ? (["fact"] as const) : (["experience"] as const);
    return retrieveForEach(memory, keywords, { limit, kinds });
  };
  return typedTool({ name: "retrieve_from_memory", description: wording.retrieve, parameters, run });
}
