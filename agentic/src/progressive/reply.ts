import type { ChatMessage, ChatModel, Cost } from "../model/index.js";
import type { AgentOutcome } from "../tools/index.js";
import { Draft } from "./draft.js";
import { readIdentity } from "./identity.js";
import { type MemoryPlan, runMemoryAgent } from "./memory-agent.js";
import type { Memory } from "./memory-record.js";
import { quoted } from "./quote.js";
import { MemoriesSeen, memoriesText, type RetrieveOptions, retrievalScope } from "./retrieve.js";
import { readMeta } from "./tools/meta-memory.js";

export interface ReplyOptions extends Pick<RetrieveOptions, "targets" | "signal"> {
  /** The conversation so far, what is to be answered last. */
  readonly messages: readonly ChatMessage[];
}

export interface ReplyResult {
  readonly text: string;
  /** "answered", or how far the agent's bounds let it come. */
  readonly outcome: AgentOutcome["outcome"];
  /** What it has looked at, the best first. */
  readonly memories: readonly Memory[];
  readonly cost: Cost;
  /** `memories` for a prompt. */
  asText(): string;
}

const SHOWN_MAX = 1_000;

/**
 * One answer of the agent that knows who it is: identity and targets are read anew for each.
 * @throws {ModelError} of the model, {MemoryError} of the host.
 */
export async function reply(
  plan: MemoryPlan & { readonly model: ChatModel },
  input: ReplyOptions,
): Promise<ReplyResult> {
  const { space, model, agents, options } = plan;
  const { enableMultiple, enableThinkingParams } = options;
  const seen = new MemoriesSeen();
  const scope = retrievalScope(plan, input, seen);
  const identity = options.enableIdentityMemory ? await readIdentity(new Draft(space)) : "";
  const system = [
    ...(identity === "" ? [] : [quoted("identity", [identity])]),
    quoted("targets", (await readMeta(scope, options)).split("\n")),
  ].join("\n");
  const toolOptions = { enableMultiple, enableThinkingParams };
  const run = { model, agent: agents.remy, scope, toolOptions, system, messages: input.messages };
  const { text, outcome } = await runMemoryAgent(run, space.meter);
  const memories = seen.best(SHOWN_MAX);
  return { text, outcome, memories, cost: space.meter.cost, asText: () => memoriesText(memories) };
}
