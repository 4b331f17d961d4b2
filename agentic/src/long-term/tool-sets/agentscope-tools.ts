import { z } from "zod";
import { type Tool, typedTool } from "../../tools/index.js";
import type { LongTermMemory } from "../long-term-memory.js";
import { RECALL_DEFAULTS } from "../recall/recall.js";
import { outcomesText, retrieveForEach } from "./answers.js";

/** What a memory of AgentScope is for. */
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
      "Keeps what you have learned about somebody and may need later: preferences, habits, likes and dislikes, personal facts. Say who, when, where, what and why.",
    content: "Facts, each one understood by itself.",
    retrieve:
      "Finds what you know about somebody. Call it before you answer anything about their preferences, their past or themselves, instead of guessing.",
    keywords: "What to look for: names, dates, places, subjects; several find more.",
    limit: RECALL_DEFAULTS.limit,
  },
  task: {
    record:
      "Keeps what you have learned from a task: what was to be done, the steps, what worked, what did not, and why. Call it after a problem is solved, or was not.",
    content: "Lessons, each one advice that is understood by itself.",
    retrieve:
      "Finds what was learned from similar tasks. Call it before you begin with a problem or recommend how to solve one.",
    keywords: "What the task is about, in its technical terms.",
    limit: 3,
  },
  tool: {
    record:
      "Keeps how calls of tools went, failed ones too, and writes guidelines for these tools from all of their calls.",
    content:
      'One JSON text for each call, with the fields create_time ("YYYY-MM-DD HH:MM:SS"), tool_name, input (object), output (text), token_cost (integer), success (boolean) and time_cost (seconds).',
    retrieve:
      "Gives the guidelines of tools: what works, what fails, success rate, cost and time. Call it before you use a tool that you are not sure of.",
    keywords: "Names of tools, exactly.",
    limit: RECALL_DEFAULTS.limit,
  },
};

/** The two tools of AgentScope's long-term memories: `record_to_memory` and `retrieve_from_memory`. */
export function agentScopeTools(memory: LongTermMemory, kind: AgentScopeMemory = "personal"): Tool[] {
  const wording = WORDING[kind];
  return [recordTool(memory, kind, wording), retrieveTool(memory, kind, wording)];
}

function recordTool(memory: LongTermMemory, kind: AgentScopeMemory, wording: Wording) {
  const shape = {
    thinking: z.string().describe("Why this is worth keeping, and what for."),
    content: z.array(z.string()).min(1).max(100).describe(wording.content),
  };
  const score = z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("How well it went: 0 is a failure, 1 a success.");
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
    keywords: z.array(z.string()).min(1).max(20).describe(wording.keywords),
    limit: z.int().min(1).max(100).default(wording.limit).describe("Most memories for each keyword."),
  });
  const run = async ({ keywords, limit }: z.infer<typeof parameters>): Promise<string> => {
    if (kind === "tool")
      return (await memory.guidelines(keywords)).asText() || "There are no guidelines yet.";
    const kinds = kind === "personal" ? (["fact"] as const) : (["experience"] as const);
    return retrieveForEach(memory, keywords, { limit, kinds });
  };
  return typedTool({ name: "retrieve_from_memory", description: wording.retrieve, parameters, run });
}
