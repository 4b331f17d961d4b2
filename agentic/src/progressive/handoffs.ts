import { isMemoryError } from "@membus/protocol";
import pLimit, { type LimitFunction } from "p-limit";
import { type ChatMessage, type ChatModel, ModelError } from "../model/index.js";
import type { ToolContext } from "../tools/index.js";
import { Draft } from "./draft.js";
import { learnableMessages } from "./history.js";
import { type AgentName, type MemoryAgent, type ResolvedAgent, runMemoryAgent } from "./memory-agent.js";
import { TARGET_TYPES, type TaskType } from "./memory-record.js";
import { addTarget } from "./targets.js";
import { taskMessage } from "./task-message.js";
import { stageToolCalls } from "./tool-calls.js";
import type { MemoryTask, TaskHandler } from "./tools/hands-off.js";
import type { MemoryToolOptions } from "./tools/tool-options.js";
import type { ToolScope } from "./tools/tool-scope.js";

/** An agent that did not finish. Its work is discarded. */
export interface AgentFailure {
  /** Name of a built-in agent, or the type of a registered one. */
  readonly agent: string;
  readonly memoryTarget?: string | undefined;
  /**
   * Code of a `ModelError` or `MemoryError`, "step_limit" or "cut_off" if the agent reached a limit, else the
   * name of the error.
   */
  readonly code: string;
  readonly message: string;
}

interface HandoffPlan {
  readonly model: ChatModel;
  readonly agents: Readonly<Record<AgentName, MemoryAgent>>;
  readonly registered: ReadonlyMap<string, ResolvedAgent>;
  readonly toolOptions: MemoryToolOptions;
  readonly parallelMax: number;
  readonly types: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** Scope of the summarizing agent. Targets are added to its draft. */
  readonly scope: ToolScope & { readonly draft: Draft };
}

interface TaskOutcome {
  readonly line: string;
  /** Absent if the agent failed. */
  readonly draft?: Draft;
  readonly failure?: AgentFailure;
}

/**
 * Runs the special agents of a summarize call: each task once, at most `parallelMax` at a time, each with a
 * separate draft.
 */
export class Handoffs implements TaskHandler {
  readonly #plan: HandoffPlan;
  readonly #tasks = new Map<string, { readonly task: MemoryTask; readonly done: Promise<TaskOutcome> }>();
  readonly #limit: LimitFunction;

  constructor(plan: HandoffPlan) {
    this.#plan = plan;
    this.#limit = pLimit(plan.parallelMax);
  }

  get types(): readonly string[] {
    return this.#plan.types;
  }

  /** The targets of the tasks that were handed off. */
  get targets(): string[] {
    const tasks = [...this.#tasks.values()].filter(({ task }) => isTargetType(this.#storedAs(task)));
    return tasks.map(({ task }) => task.memoryTarget);
  }

  async handle(tasks: readonly MemoryTask[], _context: ToolContext): Promise<string[]> {
    const outcomes = await Promise.all(tasks.map((task) => this.#once(task)));
    return outcomes.map(({ line }) => line);
  }

  /** Waits for all tasks. Returns the drafts of successful tasks, and the failures. */
  async finish(): Promise<{ readonly drafts: Draft[]; readonly failures: AgentFailure[] }> {
    const outcomes = await Promise.all([...this.#tasks.values()].map(({ done }) => done));
    return {
      drafts: outcomes.flatMap(({ draft }) => draft ?? []),
      failures: outcomes.flatMap(({ failure }) => failure ?? []),
    };
  }

  #storedAs({ memoryType }: MemoryTask): TaskType {
    return this.#plan.registered.get(memoryType)?.storedAs ?? (memoryType as TaskType);
  }

  #once(task: MemoryTask): Promise<TaskOutcome> {
    const name = nameOf(task);
    const known = this.#tasks.get(name);
    if (known !== undefined) return known.done;
    const done = this.#limit(() => this.#attempt(task));
    this.#tasks.set(name, { task, done });
    return done;
  }

  async #attempt(task: MemoryTask): Promise<TaskOutcome> {
    try {
      return await this.#run(task);
    } catch (error) {
      this.#plan.scope.space.signal?.throwIfAborted();
      return failed(task, failureOf(task.memoryType, error, task.memoryTarget));
    }
  }

  async #run(task: MemoryTask): Promise<TaskOutcome> {
    const { model, agents, toolOptions, messages, scope } = this.#plan;
    const { memoryTarget } = task;
    const registered = this.#plan.registered.get(task.memoryType);
    const memoryType = this.#storedAs(task);
    if (isTargetType(memoryType)) await addTarget(scope.draft, memoryType, memoryTarget);
    const draft = new Draft(scope.space);
    if (memoryType === "tool") await stageToolCalls(draft, scope.history!.conversation, messages);
    const category = registered && task.memoryType;
    const own = { ...scope, draft, memoryType, memoryTarget, category };
    const message = taskMessage({
      targets: "",
      task: `Your target: ${nameOf(task)}`,
      messages: learnableMessages(messages),
    });
    const agent = registered?.agent ?? agents[memoryType];
    const { outcome } = await runMemoryAgent(
      { model, agent, scope: own, toolOptions, messages: [message] },
      scope.space.meter,
    );
    if (outcome !== "answered") {
      const message = `the agent reached a limit: ${outcome}`;
      return failed(task, { agent: task.memoryType, memoryTarget, code: outcome, message });
    }
    return { line: `${nameOf(task)}: done, ${draft.changeCount} changes`, draft };
  }
}

function failed(task: MemoryTask, failure: AgentFailure): TaskOutcome {
  return { line: `${nameOf(task)}: failed, ${failure.code}`, failure };
}

/** Converts an error to a failure for the result. */
export function failureOf(agent: string, error: unknown, memoryTarget?: string): AgentFailure {
  const target = memoryTarget === undefined ? {} : { memoryTarget };
  if (!(error instanceof Error)) return { agent, ...target, code: "Error", message: String(error) };
  const code = isMemoryError(error) || error instanceof ModelError ? error.code : error.name;
  return { agent, ...target, code, message: error.message };
}

function isTargetType(type: TaskType): type is (typeof TARGET_TYPES)[number] {
  return TARGET_TYPES.some((known) => known === type);
}

function nameOf({ memoryType, memoryTarget }: MemoryTask): string {
  return `${memoryType}(${memoryTarget})`;
}
