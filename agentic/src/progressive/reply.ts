import { type OptionsOf, optionSet } from "@membus/protocol";
import type { ChatModel, Cost } from "../model/index.js";
import type { AgentOutcome } from "../tools/index.js";
import { MessagesSchema, ProgressiveCallSchema } from "./call-schemas.js";
import { Draft } from "./draft.js";
import { readIdentity } from "./identity.js";
import { type MemoryPlan, runMemoryAgent } from "./memory-agent.js";
import type { ProgressiveItem } from "./memory-record.js";
import { quoted } from "./quote.js";
import { memoriesText, retrievalScope, SeenMemories } from "./retrieve.js";
import { readMeta } from "./tools/meta-memory.js";

export const ReplyOptionsSchema = optionSet({
  ...ProgressiveCallSchema.shape,
  /** The conversation. The last message is to be answered. */
  messages: MessagesSchema,
});

export interface ReplyOptions extends OptionsOf<typeof ReplyOptionsSchema> {}

export interface ReplyResult {
  readonly text: string;
  /** "answered", or the limit that the agent reached. */
  readonly outcome: AgentOutcome["outcome"];
  /** The memories that it read, best first. */
  readonly memories: readonly ProgressiveItem[];
  readonly cost: Cost;
  /** Formats `memories` for a prompt. */
  asText(): string;
}

const SHOWN_MAX = 1_000;

/**
 * Returns an answer of the agent. Its identity and the targets are read for each call.
 * @throws {ModelError} of the model, {MemoryError} of the host.
 */
export async function reply(
  plan: MemoryPlan & { readonly model: ChatModel },
  input: ReplyOptions,
): Promise<ReplyResult> {
  const { space, model, agents, options } = plan;
  const { enableMultiple, enableThinkingParams } = options;
  const seen = new SeenMemories();
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
