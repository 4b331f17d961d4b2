import { type OptionsOf, optionSet } from "@membus/protocol";
import type { ChatMessage, ChatModel, Cost } from "../model/index.js";
import { IdSchema } from "../option-schemas.js";
import { MemoryTypeSchema, MessagesSchema, ProgressiveCallSchema } from "./call-schemas.js";
import { Draft, type MemoryChange } from "./draft.js";
import { type AgentFailure, failureOf, Handoffs } from "./handoffs.js";
import { type History, learnableMessages, markHistory, storeHistory, trustOf } from "./history.js";
import { type MemoryPlan, runMemoryAgent } from "./memory-agent.js";
import { typesOf } from "./progressive-options.js";
import { taskMessage } from "./task-message.js";
import { readMeta } from "./tools/meta-memory.js";
import type { ToolScope } from "./tools/tool-scope.js";

export const SummarizeOptionsSchema = optionSet({
  ...ProgressiveCallSchema.shape,
  /** 1..1000 messages, the oldest first. A message with an `id` is stored under it. */
  messages: MessagesSchema,
  memoryType: MemoryTypeSchema,
  /** Id of the conversation, 1..128 characters. Absent: an id derived from the messages. */
  conversation: IdSchema.optional(),
});

/** Without `targets`, memories about all targets that the conversation mentions are extracted. */
export interface SummarizeOptions extends OptionsOf<typeof SummarizeOptionsSchema> {}

export interface SummarizeResult {
  /**
   * The messages are stored in all cases.
   * - "done": everything that was extracted is stored.
   * - "partly": some agents failed, or a memory changed concurrently. The other changes are stored.
   * - "failed": the summarizing agent failed, and nothing else is stored.
   * - "history_only": there is no model, so nothing was extracted.
   * - "done_before": the same messages were summarized earlier, and no model was called.
   */
  readonly outcome: "done" | "partly" | "failed" | "history_only" | "done_before";
  readonly historyId: string;
  readonly conversation: string;
  /** Result for each memory, including the summary. */
  readonly memories: readonly MemoryChange[];
  readonly failures: readonly AgentFailure[];
  readonly cost: Cost;
}

type Extraction = Pick<SummarizeResult, "outcome" | "memories" | "failures">;

const NOTHING = { memories: [], failures: [] } as const;

/**
 * Stores the messages, then extracts memories. Those are stored after all agents have finished.
 * @throws {MemoryError} of the host. The same call can be repeated.
 */
export async function summarize(plan: MemoryPlan, input: SummarizeOptions): Promise<SummarizeResult> {
  const { space, model } = plan;
  const history = await storeHistory(space, input);
  const { historyId, conversation } = history;
  const result = (extraction: Extraction): SummarizeResult => ({
    historyId,
    conversation,
    ...extraction,
    cost: space.meter.cost,
  });
  if (model === undefined) return result({ outcome: "history_only", ...NOTHING });
  if (summarisedOf(history).includes(fingerprint(input)))
    return result({ outcome: "done_before", ...NOTHING });
  return result(await extract({ ...plan, model }, input, history));
}

async function extract(
  plan: MemoryPlan & { readonly model: ChatModel },
  input: SummarizeOptions,
  history: History,
): Promise<Extraction> {
  const { space, model, agents, registered, options } = plan;
  const { messages } = input;
  const { enableMultiple, enableThinkingParams, parallelMax } = options;
  const toolOptions = { enableMultiple, enableThinkingParams };
  const draft = new Draft(space);
  const { targets } = input;
  const scope: ToolScope & { draft: Draft } = { space, draft, targets, history, trust: trustOf(messages) };
  const isAuto = input.memoryType === undefined || input.memoryType === "auto";
  const types = [...typesOf(input.memoryType, options), ...(isAuto ? registered.keys() : [])];
  const handoffs = new Handoffs({
    model,
    agents,
    registered,
    toolOptions,
    parallelMax,
    types,
    messages,
    scope,
  });
  const message = await conversationMessage(plan, input, types);
  const run = { model, agent: agents.summarizer, scope, toolOptions, handler: handoffs, messages: [message] };
  const failure = await runMemoryAgent(run, space.meter).then(
    ({ outcome }) => (outcome === "answered" ? undefined : boundReached(outcome)),
    (error: unknown) => {
      space.signal?.throwIfAborted();
      return failureOf("summarizer", error);
    },
  );
  const { drafts, failures } = await handoffs.finish();
  if (failure !== undefined) return { outcome: "failed", memories: [], failures: [failure, ...failures] };
  const named = [...new Set([...(targets ?? []), ...handoffs.targets])];
  if (named.length > 0) draft.mark(space.conversations, { targets: named });
  const memories = await commitAll([draft, ...drafts]);
  const isWhole = failures.length === 0 && memories.every(({ action }) => action !== "conflict");
  await markHistory(space, history, marksOf(history, input, named, isWhole));
  return { outcome: isWhole ? "done" : "partly", memories, failures };
}

async function conversationMessage(
  { space, options, registered }: MemoryPlan,
  { targets, messages }: SummarizeOptions,
  types: readonly string[],
): Promise<ChatMessage> {
  const listed = await readMeta({ space, targets }, options);
  const described = (type: string) => {
    const agent = registered.get(type);
    return agent === undefined ? type : `${type} (${agent.description})`;
  };
  const only =
    targets === undefined ? "" : ` It is about ${targets.map((name) => JSON.stringify(name)).join(", ")}.`;
  const task = `Summarize this conversation, for memories of these types: ${types.map(described).join(", ")}.${only}`;
  return taskMessage({ targets: listed, task, messages: learnableMessages(messages) });
}

function boundReached(outcome: string): AgentFailure {
  return { agent: "summarizer", code: outcome, message: `the agent reached a limit: ${outcome}` };
}

async function commitAll(drafts: readonly Draft[]): Promise<MemoryChange[]> {
  const changes: MemoryChange[] = [];
  for (const draft of drafts) changes.push(...(await draft.commit()));
  return changes;
}

/** Returns the metadata of the history: its targets, and the completed runs. */
function marksOf(
  history: History,
  input: SummarizeOptions,
  named: readonly string[],
  isWhole: boolean,
): object {
  const targets = [...new Set([...history.targets, ...named])];
  const summarised = isWhole ? [...summarisedOf(history), fingerprint(input)] : summarisedOf(history);
  return { ...(targets.length > 0 && { targets }), ...(summarised.length > 0 && { summarised }) };
}

function summarisedOf({ metadata: { summarised } }: History): string[] {
  return Array.isArray(summarised) ? (summarised as string[]) : [];
}

function fingerprint({ memoryType = "auto", targets }: SummarizeOptions): string {
  return JSON.stringify([memoryType, targets === undefined ? null : [...targets].sort()]);
}
