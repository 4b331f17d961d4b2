import type { AgentMemory } from "@membus/agent-client";
import { type ChatModel, ProgressiveMemory } from "@membus/agentic";
import type { AgentChanges, AgentTool } from "@membus/agentic/progressive";
import { SESSIONS, TOLD_FACTS } from "./sessions.js";

/** How an agent reasons before it writes, and whether its tools take lists. */
export interface ExtractionVariant {
  readonly name: string;
  readonly thinking: "none" | "parameter" | "tool";
  readonly enableMultiple: boolean;
}

export interface Extraction {
  /** Number of told facts that a stored memory contains. */
  readonly found: number;
  /** Number of stored memories. */
  readonly stored: number;
  /** Number of sessions that were extracted completely. */
  readonly done: number;
  readonly calls: number;
  readonly tokens: number;
  readonly tookMs: number;
}

const PERSONAL: readonly AgentTool[] = [
  "add_memory",
  "update_memory",
  "delete_memory",
  "vector_retrieve_memory",
];
const SUMMARIZER: readonly AgentTool[] = ["add_meta_memory", "add_summary_memory", "hands_off"];

/** Agents with the tool `think`. */
const THINKING: AgentChanges = {
  personal: { tools: ["think", ...PERSONAL] },
  summarizer: { tools: ["think", ...SUMMARIZER] },
};

/** Extracts memories from all sessions with agents, in a separate memory space. */
export async function extractSessions(
  client: AgentMemory,
  model: ChatModel,
  { name, thinking, enableMultiple }: ExtractionVariant,
): Promise<Extraction> {
  const enableThinkingParams = thinking === "parameter";
  const options = { memorySpace: `thinking/${name}`, enableMultiple, enableThinkingParams };
  const agents = thinking === "tool" ? THINKING : {};
  const memory = new ProgressiveMemory(client, options, { model, agents });
  const sum = { done: 0, calls: 0, tokens: 0, tookMs: 0 };
  for (const messages of SESSIONS) {
    const input = { messages, memoryType: "personal" as const, targets: ["user"] };
    const { outcome, cost } = await memory.summarize(input);
    if (outcome === "done") sum.done += 1;
    sum.calls += cost.modelCalls;
    sum.tokens += cost.inputTokens + cost.outputTokens;
    sum.tookMs += cost.tookMs;
  }
  const texts = (await memory.listMemories()).map(({ text }) => text);
  const found = TOLD_FACTS.filter(({ answer }) => texts.some((text) => answer.test(text)));
  return { ...sum, found: found.length, stored: texts.length };
}
