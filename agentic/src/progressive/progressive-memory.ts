import type { AgentMemory } from "@membus/agent-client";
import { type Clock, parseOption, parseOptions, systemClock } from "@membus/protocol";
import type { Trust } from "@membus/protocol/records";
import { type ChatMessage, type ChatModel, CostMeter } from "../model/index.js";
import type { Tool } from "../tools/index.js";
import { MessagesSchema, ProgressiveCallSchema } from "./call-schemas.js";
import { findHistory } from "./history.js";
import {
  type DeleteAllOptions,
  type DeleteAllResult,
  deleteAllMemories,
  type ListOptions,
  ListOptionsSchema,
  listMemories,
} from "./listing.js";
import {
  type AgentChanges,
  type AgentName,
  type MemoryAgent,
  type RegisteredAgent,
  type ResolvedAgent,
  resolveAgents,
  withAgent,
} from "./memory-agent.js";
import type { ProgressiveItem, TaskType } from "./memory-record.js";
import { MemorySpace } from "./memory-space.js";
import {
  type OffloadOptions,
  OffloadOptionsSchema,
  type OffloadResult,
  offload,
  type ReloadOptions,
  ReloadOptionsSchema,
  type ReloadResult,
  reload,
} from "./offload.js";
import {
  type ProgressiveOptions,
  ProgressiveOptionsSchema,
  type ResolvedProgressiveOptions,
} from "./progressive-options.js";
import { type ReplyOptions, ReplyOptionsSchema, type ReplyResult, reply } from "./reply.js";
import { type RetrieveOptions, RetrieveOptionsSchema, type RetrieveResult, retrieve } from "./retrieve.js";
import {
  type SummarizeOptions,
  SummarizeOptionsSchema,
  type SummarizeResult,
  summarize,
} from "./summarize.js";
import type { TaskHandler } from "./tools/hands-off.js";
import { type MemoryToolName, memoryTool } from "./tools/memory-tool.js";
import type { MemoryToolOptions } from "./tools/tool-options.js";

export interface ProgressiveDependencies {
  /**
   * Model of the agents. Absent: `retrieve` uses vector search only, and `summarize` stores only the history.
   */
  readonly model?: ChatModel | undefined;
  /** Changes of the seven agents. */
  readonly agents?: AgentChanges | undefined;
  /** @default the system clock */
  readonly clock?: Clock | undefined;
}

/** The limits within which tools outside of the seven agents work. A model cannot leave them. */
export interface ToolBinding {
  /** `add_memory` requires both. */
  readonly memoryType?: TaskType | undefined;
  readonly memoryTarget?: string | undefined;
  readonly targets?: readonly string[] | undefined;
  /**
   * Id of a history from `summarize`, which `add_summary_memory` summarizes and memories are derived from.
   */
  readonly historyId?: string | undefined;
  /**
   * Trust of written memories. In the semantic tier it must be "user".
   * @default "agent"
   */
  readonly trust?: Trust | undefined;
  /** Required by `hands_off`. */
  readonly handler?: TaskHandler | undefined;
  /** Counts the writes of the tools. */
  readonly meter?: CostMeter | undefined;
}

/**
 * Memory that is built and searched in layers: messages are stored first, then agents with tools extract
 * memories about each target. A search starts with the list of targets and can go down to the original
 * messages.
 *
 * Everything is stored as records of chapter 7. Every method throws `TypeError` for a wrong argument,
 * before anything is done. It throws `MemoryError` for failures of the bus or the host, and the reason of an
 * aborted signal.
 */
export class ProgressiveMemory {
  readonly #memory: AgentMemory;
  readonly #options: ResolvedProgressiveOptions;
  readonly #model: ChatModel | undefined;
  readonly #clock: Clock;
  #agents: Readonly<Record<AgentName, MemoryAgent>>;
  #registered: ReadonlyMap<string, ResolvedAgent> = new Map();

  constructor(
    memory: AgentMemory,
    options: ProgressiveOptions = {},
    dependencies: ProgressiveDependencies = {},
  ) {
    this.#memory = memory;
    this.#options = parseOptions(ProgressiveOptionsSchema, options);
    this.#model = dependencies.model;
    this.#clock = dependencies.clock ?? systemClock;
    this.#agents = resolveAgents(dependencies.agents ?? {});
  }

  /** Stores messages, and the memories that agents extract from them. Idempotent for the same messages. */
  async summarize(input: SummarizeOptions): Promise<SummarizeResult> {
    return summarize(this.#plan(input.signal), parseOptions(SummarizeOptionsSchema, input));
  }

  /** Returns memories found by the retrieving agent, or without a model by vector search. */
  async retrieve(input: RetrieveOptions): Promise<RetrieveResult> {
    return retrieve(this.#plan(input.signal), parseOptions(RetrieveOptionsSchema, input));
  }

  /**
   * Returns an answer of an agent that reads its identity and searches memories as needed. Stores nothing.
   * @throws {ModelError} for failures of the model. {TypeError} without a model.
   */
  async reply(input: ReplyOptions): Promise<ReplyResult> {
    const model = this.#model;
    if (model === undefined) throw new TypeError("reply requires a model");
    return reply({ ...this.#plan(input.signal), model }, parseOptions(ReplyOptionsSchema, input));
  }

  /** Moves texts out of a context. Returns the messages with pointer lines. Each text becomes a record. */
  async offload(messages: readonly ChatMessage[], options: OffloadOptions = {}): Promise<OffloadResult> {
    parseOption(MessagesSchema, messages, "messages");
    const { conversation, signal, ...bounds } = parseOptions(OffloadOptionsSchema, options);
    return offload(this.#space(signal), messages, conversation, bounds);
  }

  /** Returns offloaded texts, by a query or by the ids of pointer lines. */
  async reload(input: ReloadOptions): Promise<ReloadResult> {
    return reload(this.#space(input.signal), parseOptions(ReloadOptionsSchema, input));
  }

  /** Returns facts, experiences and guidelines, the latest first, target by target. */
  async listMemories(input: ListOptions = {}): Promise<ProgressiveItem[]> {
    return listMemories(this.#space(input.signal), parseOptions(ListOptionsSchema, input));
  }

  /**
   * Forgets the data of some targets, or of the whole memory space: memories, targets, and the conversations
   * without other targets. Offloaded texts stay, because contexts may refer to them.
   */
  async deleteAllMemories(input: DeleteAllOptions = {}): Promise<DeleteAllResult> {
    return deleteAllMemories(this.#space(input.signal), parseOptions(ProgressiveCallSchema, input));
  }

  /** Replaces parts of an agent for later calls. */
  setAgent(name: AgentName, changes: Partial<MemoryAgent>): void {
    this.#agents = resolveAgents({ ...this.#agents, [name]: { ...this.#agents[name], ...changes } });
  }

  /**
   * Adds a special agent with another type, such as "hobby". The summarizing agent hands conversations to it
   * as to the built-in ones. Its memories are of the type `storedAs` and have the registered type as `category`.
   * @throws {TypeError} for a built-in or invalid type, an invalid agent, or more than 32 agents.
   */
  registerAgent(type: string, agent: RegisteredAgent): void {
    this.#registered = withAgent(this.#registered, type, agent);
  }

  setRetriever(changes: Partial<MemoryAgent>): void {
    this.setAgent("retriever", changes);
  }

  setSummarizer(changes: Partial<MemoryAgent>): void {
    this.setAgent("summarizer", changes);
  }

  /**
   * Returns memory tools for another agent. Each call stores its changes immediately.
   * @throws {TypeError} for an invalid binding, or a history that does not exist.
   */
  async tools(
    names: readonly MemoryToolName[],
    binding: ToolBinding = {},
    options: MemoryToolOptions = {},
  ): Promise<Tool[]> {
    const { historyId, trust = "agent", handler, meter, ...bound } = binding;
    const space = this.#space(undefined, meter);
    const history = historyId === undefined ? undefined : await findHistory(space, historyId);
    if (historyId !== undefined && history === undefined)
      throw new TypeError(`history ${historyId} does not exist`);
    return names.map((name) => memoryTool(name, { ...bound, space, history, trust }, options, handler));
  }

  #plan(signal: AbortSignal | undefined) {
    return {
      space: this.#space(signal),
      model: this.#model,
      agents: this.#agents,
      registered: this.#registered,
      options: this.#options,
    };
  }

  #space(signal?: AbortSignal, meter = new CostMeter(this.#clock)): MemorySpace {
    return new MemorySpace(this.#memory, this.#options, meter, signal);
  }
}
