import { randomUUID } from "node:crypto";
import { type AgentMemory, storeFailure } from "@membus/agent-client";
import { type Clock, type Filter, MemoryError, type MemoryTier } from "@membus/protocol";
import { kindIs } from "../../kind-filter.js";
import type { ResolvedLongTermOptions } from "../long-term-options.js";
import { NamespaceView } from "../shelf.js";
import { readTask, type Task, type TaskState, taskEntry, type Work } from "./task.js";

/** One namespace for all: who works for an agent finds its tasks without knowing what they are about. */
const NAMESPACE = "tasks";

/** Looked at in one go: others may take some of them first. */
const PAGE = 16;

/** What there is work about that is due, of the 100 oldest tasks: whose `runPending` has something to do. */
export async function pendingAbouts(memory: AgentMemory, tier: MemoryTier, now: number): Promise<string[]> {
  const where: Filter = {
    all: [
      kindIs("task"),
      { field: "metadata.tier", op: "eq", value: tier },
      stateIs("queued", "running"),
      { field: "metadata.due", op: "lte", value: now },
    ],
  };
  const tasks = await tasksOf(memory, tier).page({ where, order: "oldest", limit: 100 });
  return [...new Set(tasks.flatMap((entry) => readTask(entry)?.metadata.about ?? []))];
}

/** What is still to be done is never shared: nobody has vouched for it. */
function tasksOf(memory: AgentMemory, tier: MemoryTier): NamespaceView {
  return new NamespaceView(memory, NAMESPACE, tier === "working" ? "working" : "episodic");
}

/** The tasks about something. They outlive the process, as what they are about does. */
export class TaskQueue {
  readonly #shelf: NamespaceView;
  readonly #options: ResolvedLongTermOptions;
  readonly #clock: Clock;

  constructor(memory: AgentMemory, options: ResolvedLongTermOptions, clock: Clock) {
    this.#shelf = tasksOf(memory, options.tier);
    this.#options = options;
    this.#clock = clock;
  }

  /** @returns their ids, in their order. @throws {MemoryError} if one could not be written; what was, is done all the same. */
  async add(works: readonly Work[]): Promise<string[]> {
    const { about, tier } = this.#options;
    const tasks = works.map(
      (work): Task => ({
        id: randomUUID(),
        content: { work },
        metadata: { kind: "task", about, tier, state: "queued", attempts: 0, due: this.#clock.now() },
        revision: 0,
      }),
    );
    const { errors } = await this.#shelf.store(tasks.map((task) => taskEntry(task, undefined)));
    if (errors[0] !== undefined) throw storeFailure(errors[0]);
    return tasks.map(({ id }) => id);
  }

  /** @throws {MemoryError} `memory_not_found` for one that there is not, about this, or no more. */
  async get(id: string): Promise<Task> {
    const [entry] = (await this.#shelf.byKey([{ task: id }])).values();
    const task = entry && readTask(entry);
    if (task?.metadata.about === this.#options.about && task.metadata.tier === this.#options.tier)
      return task;
    throw new MemoryError("memory_not_found", `there is no event ${id} about ${this.#options.about}`);
  }

  /** The oldest that is due, taken: nobody else begins it for as long as the lease goes. Undefined if there is none. */
  async take(): Promise<Task | undefined> {
    const now = this.#clock.now();
    const where: Filter = {
      all: [this.#own, stateIs("queued", "running"), { field: "metadata.due", op: "lte", value: now }],
    };
    for (const entry of await this.#shelf.page({ where, order: "oldest", limit: PAGE })) {
      const task = readTask(entry);
      const taken = task && (await this.#begin(task));
      if (taken !== undefined) return taken;
    }
    return undefined;
  }

  /** Seconds until the next one is due, whoever has it; undefined if there is none. */
  async dueInS(): Promise<number | undefined> {
    const where: Filter = { all: [this.#own, stateIs("queued", "running")] };
    const dues: number[] = [];
    for (const entry of await this.#shelf.page({ where, order: "oldest", limit: PAGE })) {
      const task = readTask(entry);
      if (task !== undefined) dues.push(task.metadata.due);
    }
    return dues.length === 0 ? undefined : Math.max(0, Math.min(...dues) - this.#clock.now());
  }

  async #begin(task: Task): Promise<Task | undefined> {
    const { attempts } = task.metadata;
    if (attempts >= this.#options.taskAttemptCountMax) {
      await this.end(task, "failed", { reason: "timeout: whoever began it was not heard of again" });
      return undefined;
    }
    const due = this.#clock.now() + this.#options.taskLeaseS;
    return this.#change(task, { state: "running", attempts: attempts + 1, due });
  }

  /** It is begun again after a while. */
  async postpone(task: Task): Promise<void> {
    const waitS = this.#options.taskRetryS * 2 ** (task.metadata.attempts - 1);
    await this.#change(task, { state: "queued", due: this.#clock.now() + waitS });
  }

  /** Over. What became of it is kept for a while; what was to be done only if it failed. */
  async end(task: Task, state: "done" | "failed", told: Omit<Task["content"], "work">): Promise<void> {
    const content = state === "failed" ? { ...told, work: task.content.work } : told;
    await this.#change({ ...task, content }, { state }, this.#options.taskKeepS);
  }

  /** Queues one that has failed again. @returns false for one that has not, or that somebody else has queued again. */
  async again(id: string): Promise<boolean> {
    const task = await this.get(id);
    if (task.metadata.state !== "failed") return false;
    const { work } = task.content;
    const changes = { state: "queued", attempts: 0, due: this.#clock.now() } as const;
    return (await this.#change({ ...task, content: { work } }, changes)) !== undefined;
  }

  /** What was to be done about this is not done any more. */
  async forgetAll(): Promise<number> {
    return this.#shelf.forget({ where: this.#own });
  }

  /** Undefined where somebody else has changed or forgotten it: then it is theirs. */
  async #change(task: Task, changes: Partial<Task["metadata"]>, ttlS?: number): Promise<Task | undefined> {
    const changed = { ...task, metadata: { ...task.metadata, ...changes } };
    const { receipts } = await this.#shelf.store([taskEntry(changed, ttlS)]);
    return receipts[0] && { ...changed, revision: receipts[0].revision };
  }

  get #own(): Filter {
    const { about, tier } = this.#options;
    return {
      all: [
        kindIs("task"),
        { field: "metadata.about", op: "eq", value: about },
        { field: "metadata.tier", op: "eq", value: tier },
      ],
    };
  }
}

function stateIs(...states: readonly TaskState[]): Filter {
  return { field: "metadata.state", op: "in", value: [...states] };
}
