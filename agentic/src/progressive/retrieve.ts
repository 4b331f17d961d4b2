import { textOf } from "../conversation/index.js";
import type { ChatMessage, ChatModel, Cost } from "../model/index.js";
import { type AgentFailure, failureOf } from "./handoffs.js";
import { type MemoryPlan, runMemoryAgent } from "./memory-agent.js";
import type { Memory, TaskType } from "./memory-record.js";
import type { MemorySpace } from "./memory-space.js";
import { typesOf } from "./progressive-options.js";
import { onOneLine } from "./quote.js";
import { memoriesIn, searchMemories } from "./search-memories.js";
import { type MemoryTarget, readTargets } from "./targets.js";
import { taskMessage } from "./task-message.js";
import { readMeta } from "./tools/meta-memory.js";
import type { ToolScope } from "./tools/tool-scope.js";

export interface RetrieveOptions {
  /** What is wanted; this or `messages`. */
  readonly query?: string | undefined;
  /** A conversation that memories are wanted for: without a model, its last message of a user is the query. */
  readonly messages?: readonly ChatMessage[] | undefined;
  /**
   * Memories at most, 1..1000.
   * @default 10
   */
  readonly limit?: number | undefined;
  /** Only memories of this type; "auto": of every type. */
  readonly memoryType?: "auto" | TaskType | undefined;
  /** Only memories about these; absent: about anybody. Guidelines for tools are about nobody. */
  readonly targets?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RetrieveResult {
  /** The best first, summaries behind those without a better memory. */
  readonly memories: readonly Memory[];
  /** Layer 0: what there are memories about, the latest first. */
  readonly targets: readonly MemoryTarget[];
  /** "agent": chosen by the retrieving agent, which may have read histories too. "vectors": found by the query alone. */
  readonly by: "agent" | "vectors";
  /** What the agent has to say; "" without it. */
  readonly answer: string;
  /** Why it is by vectors although there is a model. */
  readonly failure?: AgentFailure | undefined;
  readonly cost: Cost;
  /** The memories for a prompt: a line each, between marks that none of them can close. */
  asText(): string;
}

export const RETRIEVE_DEFAULTS = Object.freeze({ limit: 10 });

/** What an agent has been shown, each memory once. */
export class MemoriesSeen {
  readonly #memories = new Map<string, Memory>();

  add(memories: readonly Memory[]): void {
    for (const memory of memories) {
      const seen = this.#memories.get(memory.memoryId);
      if (seen === undefined || seen.score < memory.score) this.#memories.set(memory.memoryId, memory);
    }
  }

  /** The best first. */
  best(limit: number): Memory[] {
    const isSummary = ({ memoryType }: Memory) => (memoryType === "summary" ? 1 : 0);
    return [...this.#memories.values()]
      .sort((a, b) => isSummary(a) - isSummary(b) || b.score - a.score)
      .slice(0, limit);
  }
}

/**
 * Layer 0 and what is found below it. An agent that fails leaves the search by vectors, which says so.
 * @throws {MemoryError} of the host, `too_large` where there are more targets than it reads at once: name some.
 */
export async function retrieve(plan: MemoryPlan, input: RetrieveOptions): Promise<RetrieveResult> {
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

async function byVectors(plan: MemoryPlan, input: RetrieveOptions): Promise<Found> {
  const { limit = RETRIEVE_DEFAULTS.limit, targets } = input;
  const search = { query: queryOf(input), types: typesOf(input.memoryType, plan.options), targets, limit };
  const entries = await searchMemories(plan.space, { ...search, withSummaries: true });
  return { memories: memoriesIn(entries), by: "vectors", answer: "" };
}

async function byAgent(
  plan: MemoryPlan & { readonly model: ChatModel },
  input: RetrieveOptions,
): Promise<Found> {
  const { space, model, agents, options } = plan;
  const { limit = RETRIEVE_DEFAULTS.limit } = input;
  const seen = new MemoriesSeen();
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

/** What a retrieving agent may see. */
export function retrievalScope(
  { space, options }: Pick<MemoryPlan, "space" | "options">,
  { memoryType, targets }: Pick<RetrieveOptions, "memoryType" | "targets">,
  seen: MemoriesSeen,
): ToolScope {
  const types = typesOf(memoryType, options);
  return { space, types, targets, trust: "agent", onRead: (memories) => seen.add(memories) };
}

function queryOf({ query, messages = [] }: RetrieveOptions): string {
  if (query !== undefined) return query;
  const asked = messages.findLast(({ role }) => role === "user") ?? messages.at(-1);
  return asked === undefined ? "" : textOf(asked);
}

function resultOf(space: MemorySpace, targets: readonly MemoryTarget[], found: Found): RetrieveResult {
  return { ...found, targets, cost: space.meter.cost, asText: () => memoriesText(found.memories) };
}

/** Memories for a prompt; "" for none. */
export function memoriesText(memories: readonly Memory[]): string {
  if (memories.length === 0) return "";
  const lines = memories.map(({ text, whenToUse }) =>
    onOneLine(`- ${whenToUse ? `${whenToUse}: ` : ""}${text}`),
  );
  return ["<memories>", ...lines, "</memories>"].join("\n");
}
