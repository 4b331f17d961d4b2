import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { textOf } from "../conversation/index.js";
import type { ChatModel, Cost } from "../model/index.js";
import {
  exactlyOne,
  LimitSchema,
  MemoryTypeSchema,
  MessagesSchema,
  ProgressiveCallSchema,
} from "./call-schemas.js";
import { type AgentFailure, failureOf } from "./handoffs.js";
import { type MemoryPlan, runMemoryAgent } from "./memory-agent.js";
import type { ProgressiveItem } from "./memory-record.js";
import type { MemorySpace } from "./memory-space.js";
import { typesOf } from "./progressive-options.js";
import { onOneLine } from "./quote.js";
import { memoriesIn, searchMemories } from "./search-memories.js";
import { type MemoryTarget, readTargets } from "./targets.js";
import { taskMessage } from "./task-message.js";
import { readMeta } from "./tools/meta-memory.js";
import type { ToolScope } from "./tools/tool-scope.js";

export const RetrieveOptionsSchema = optionSet({
  ...ProgressiveCallSchema.shape,
  /** Search text. Set either this or `messages`. */
  query: option.text().optional(),
  /** A conversation to find memories for. Without a model, its last user message is the query. */
  messages: MessagesSchema.optional(),
  /** Maximum number of memories. */
  limit: LimitSchema.default(10),
  memoryType: MemoryTypeSchema,
}).refine(...exactlyOne("query", "messages"));

export interface RetrieveOptions extends OptionsOf<typeof RetrieveOptionsSchema> {}
type ResolvedRetrieveOptions = ResolvedOptionsOf<typeof RetrieveOptionsSchema>;

export interface RetrieveResult {
  /** Best first. Summaries come after other memories. */
  readonly memories: readonly ProgressiveItem[];
  /** Layer 0: the targets that have memories, the latest first. */
  readonly targets: readonly MemoryTarget[];
  /**
   * "agent": selected by the retrieving agent, which may also have read histories. "vectors": found by the
   * query only.
   */
  readonly by: "agent" | "vectors";
  /** Answer of the agent. "" without an agent. */
  readonly answer: string;
  /** Reason for the fallback to vector search if there is a model. */
  readonly failure?: AgentFailure | undefined;
  readonly cost: Cost;
  /** Formats the memories for a prompt: one line each, between tags that they cannot close. */
  asText(): string;
}

/** The memories that an agent has read, each once. */
export class SeenMemories {
  readonly #memories = new Map<string, ProgressiveItem>();

  add(memories: readonly ProgressiveItem[]): void {
    for (const memory of memories) {
      const seen = this.#memories.get(memory.memoryId);
      if (seen === undefined || seen.score < memory.score) this.#memories.set(memory.memoryId, memory);
    }
  }

  /** Returns the best memories first. */
  best(limit: number): ProgressiveItem[] {
    const isSummary = ({ memoryType }: ProgressiveItem) => (memoryType === "summary" ? 1 : 0);
    return [...this.#memories.values()]
      .sort((a, b) => isSummary(a) - isSummary(b) || b.score - a.score)
      .slice(0, limit);
  }
}

/**
 * Reads layer 0 and searches memories. If the agent fails, vector search is used and the failure is reported.
 * @throws {MemoryError} of the host, `too_large` if there are too many targets to search at once. Name some
 * targets then.
 */
export async function retrieve(plan: MemoryPlan, input: ResolvedRetrieveOptions): Promise<RetrieveResult> {
  const { space, model } = plan;
  const targets = await readTargets(space, input.targets);
  if (model === undefined) return resultOf(space, targets, await byVectors(plan, input));
  try {
    return resultOf(space, targets, await byAgent({ ...plan, model }, input));
  } catch (error) {
    space.signal?.throwIfAborted();
    if (error instanceof TypeError) throw error;
    const failure = failureOf("retriever", error);
    return resultOf(space, targets, { ...(await byVectors(plan, input)), failure });
  }
}

type Found = Pick<RetrieveResult, "memories" | "by" | "answer" | "failure">;

async function byVectors(plan: MemoryPlan, input: ResolvedRetrieveOptions): Promise<Found> {
  const { limit, targets } = input;
  const search = { query: queryOf(input), types: typesOf(input.memoryType, plan.options), targets, limit };
  const entries = await searchMemories(plan.space, { ...search, withSummaries: true });
  return { memories: memoriesIn(entries), by: "vectors", answer: "" };
}

async function byAgent(
  plan: MemoryPlan & { readonly model: ChatModel },
  input: ResolvedRetrieveOptions,
): Promise<Found> {
  const { space, model, agents, options } = plan;
  const { limit } = input;
  const seen = new SeenMemories();
  const scope = retrievalScope(plan, input, seen);
  const { query, messages = [{ role: "user", content: query ?? "" }] } = input;
  const task =
    query === undefined ? "Find what helps to continue this conversation." : "Find what answers this.";
  const targets = await readMeta(scope, { ...options, enableIdentityMemory: false });
  const { enableMultiple, enableThinkingParams } = options;
  const toolOptions = { enableMultiple, enableThinkingParams };
  const message = taskMessage({ targets, task, messages });
  const run = { model, agent: agents.retriever, scope, toolOptions, messages: [message] };
  const { text } = await runMemoryAgent(run, space.meter);
  return { memories: seen.best(limit), by: "agent", answer: text };
}

/** Returns the scope of a retrieving agent. */
export function retrievalScope(
  { space, options }: Pick<MemoryPlan, "space" | "options">,
  { memoryType, targets }: Pick<RetrieveOptions, "memoryType" | "targets">,
  seen: SeenMemories,
): ToolScope {
  const types = typesOf(memoryType, options);
  return { space, types, targets, trust: "agent", onRead: (memories) => seen.add(memories) };
}

function queryOf({ query, messages = [] }: ResolvedRetrieveOptions): string {
  if (query !== undefined) return query;
  const latest = messages.findLast(({ role }) => role === "user") ?? messages.at(-1);
  return latest === undefined ? "" : textOf(latest);
}

function resultOf(space: MemorySpace, targets: readonly MemoryTarget[], found: Found): RetrieveResult {
  return { ...found, targets, cost: space.meter.cost, asText: () => memoriesText(found.memories) };
}

/** Formats memories for a prompt. "" if there are none. */
export function memoriesText(memories: readonly ProgressiveItem[]): string {
  if (memories.length === 0) return "";
  const lines = memories.map(({ text, whenToUse }) =>
    onOneLine(`- ${whenToUse ? `${whenToUse}: ` : ""}${text}`),
  );
  return ["<memories>", ...lines, "</memories>"].join("\n");
}
