import type { AgentMemory } from "@membus/agent-client";
import { type Clock, systemClock, type Trust } from "@membus/protocol";
import { type ChatMessage, type ChatModel, CostMeter } from "../model/index.js";
import type { Tool } from "../tools/index.js";
import {
  messagesOption,
  resolveDeleteAllOptions,
  resolveListOptions,
  resolveOffloadOptions,
  resolveReloadOptions,
  resolveReplyOptions,
  resolveRetrieveOptions,
  resolveSummarizeOptions,
} from "./call-options.js";
import { findHistory } from "./history.js";
import {
  type DeleteAllOptions,
  type DeleteAllResult,
  deleteAllMemories,
  type ListOptions,
  listMemories,
} from "./listing.js";
import { type AgentChanges, type AgentName, type MemoryAgent, resolveAgents } from "./memory-agent.js";
import type { Memory, TaskType } from "./memory-record.js";
import { MemorySpace } from "./memory-space.js";
import {
  type OffloadOptions,
  type OffloadResult,
  offload,
  type ReloadOptions,
  type ReloadResult,
  reload,
} from "./offload.js";
import {
  type ProgressiveOptions,
  type ResolvedProgressiveOptions,
  resolveProgressiveOptions,
} from "./progressive-options.js";
import { type ReplyOptions, type ReplyResult, reply } from "./reply.js";
import { type RetrieveOptions, type RetrieveResult, retrieve } from "./retrieve.js";
import { type SummarizeOptions, type SummarizeResult, summarize } from "./summarize.js";
import type { TaskHandler } from "./tools/hands-off.js";
import { type MemoryToolName, memoryTool } from "./tools/memory-tool.js";
import type { MemoryToolOptions } from "./tools/tool-options.js";

export interface ProgressiveDependencies {
  /** What the agents think with. Without it `retrieve` goes by vectors alone, and `summarize` keeps history alone. */
  readonly model?: ChatModel | undefined;
  /** What replaces parts of the seven agents. */
  readonly agents?: AgentChanges | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
}

/** What tools outside of the seven agents work on; a model cannot leave it. */
export interface ToolBinding {
  /** `add_memory` needs both. */
  readonly memoryType?: TaskType | undefined;
  readonly memoryTarget?: string | undefined;
  readonly targets?: readonly string[] | undefined;
  /** Of `summarize`: what `add_summary_memory` summarises, and what memories are derived from. */
  readonly historyId?: string | undefined;
  /**
   * Whose word is written; in the semantic tier it has to be a user's.
   * @default "agent"
   */
  readonly trust?: Trust | undefined;
  /** What `hands_off` needs. */
  readonly handler?: TaskHandler | undefined;
  /** Counts what the tools write. */
  readonly meter?: CostMeter | undefined;
}

/**
 * Memory that is made and found step by step: messages are kept first, agents with tools then extract what they say about
 * each target, and what is wanted is looked for from the list of targets down to the words that were said.
 *
 * Everything is a record of chapter 7 in the memory it is given. Every method throws `TypeError` for a mistake in the call,
 * before anything is done, `MemoryError` for what the bus or the host reports, and the reason of an aborted signal.
 */
export class ProgressiveMemory {
  readonly #memory: AgentMemory;
  readonly #options: ResolvedProgressiveOptions;
  readonly #model: ChatModel | undefined;
  readonly #clock: Clock;
  #agents: Readonly<Record<AgentName, MemoryAgent>>;

  constructor(
    memory: AgentMemory,
    options: ProgressiveOptions = {},
    dependencies: ProgressiveDependencies = {},
  ) {
    this.#memory = memory;
    this.#options = resolveProgressiveOptions(options);
    this.#model = dependencies.model;
    this.#clock = dependencies.clock ?? systemClock;
    this.#agents = resolveAgents(dependencies.agents ?? {});
  }

  /** Keeps messages, and what the agents extract of them. With the same messages again it makes nothing twice. */
  async summarize(input: SummarizeOptions): Promise<SummarizeResult> {
    return summarize(this.#plan(input.signal), resolveSummarizeOptions(input));
  }

  /** What is known, found by the retrieving agent, or without a model by vectors. */
  async retrieve(input: RetrieveOptions): Promise<RetrieveResult> {
    return retrieve(this.#plan(input.signal), resolveRetrieveOptions(input));
  }

  /**
   * An answer of the agent that reads who it is, and looks up what it needs. It keeps nothing.
   * @throws {ModelError} of the model; {TypeError} without one.
   */
  async reply(input: ReplyOptions): Promise<ReplyResult> {
    const model = this.#model;
    if (model === undefined) throw new TypeError("reply needs a model");
    return reply({ ...this.#plan(input.signal), model }, resolveReplyOptions(input));
  }

  /** Takes texts out of a context: the same messages with pointer lines, and a record for each text. */
  async offload(messages: readonly ChatMessage[], options: OffloadOptions = {}): Promise<OffloadResult> {
    messagesOption(messages, "messages");
    const { conversation, signal, ...bounds } = resolveOffloadOptions(options);
    return offload(this.#space(signal), messages, conversation, bounds);
  }

  /** Brings offloaded texts back, by a query or by the ids of pointer lines. */
  async reload(input: ReloadOptions): Promise<ReloadResult> {
    return reload(this.#space(input.signal), resolveReloadOptions(input));
  }

  /** Facts, experiences and guidelines, the latest first; of several targets, one after the other. */
  async listMemories(input: ListOptions = {}): Promise<Memory[]> {
    return listMemories(this.#space(input.signal), resolveListOptions(input));
  }

  /**
   * Forgets what is about some targets, or everything of the memory space: memories, targets, and the conversations that are
   * about nobody else. Offloaded texts stay: they belong to contexts that may still point at them.
   */
  async deleteAllMemories(input: DeleteAllOptions = {}): Promise<DeleteAllResult> {
    return deleteAllMemories(this.#space(input.signal), resolveDeleteAllOptions(input));
  }

  /** Replaces parts of an agent from now on. */
  setAgent(name: AgentName, changes: Partial<MemoryAgent>): void {
    this.#agents = resolveAgents({ ...this.#agents, [name]: { ...this.#agents[name], ...changes } });
  }

  setRetriever(changes: Partial<MemoryAgent>): void {
    this.setAgent("retriever", changes);
  }

  setSummarizer(changes: Partial<MemoryAgent>): void {
    this.setAgent("summarizer", changes);
  }

  /**
   * Memory tools for an agent of one's own: each call stores at once what it has done.
   * @throws {TypeError} for a binding that a tool cannot work with, and for a history that there is not.
   */
  async tools(
    names: readonly MemoryToolName[],
    binding: ToolBinding = {},
    options: MemoryToolOptions = {},
  ): Promise<Tool[]> {
    const { historyId, trust = "agent", handler, meter, ...bound } = binding;
    const space = this.#space(undefined, meter);
    const history = historyId === undefined ? undefined : await findHistory(space, historyId);
    if (historyId !== undefined && history === undefined) throw new TypeError(`no history ${historyId}`);
    return names.map((name) => memoryTool(name, { ...bound, space, history, trust }, options, handler));
  }

  #plan(signal: AbortSignal | undefined) {
    return { space: this.#space(signal), model: this.#model, agents: this.#agents, options: this.#options };
  }

  #space(signal?: AbortSignal, meter = new CostMeter(this.#clock)): MemorySpace {
    return new MemorySpace(this.#memory, this.#options, meter, signal);
  }
}
