import { randomUUID } from "node:crypto";
import { type AgentMemory, toMemoryError } from "@membus/agent-client";
import { type Clock, type Filter, MemoryError, type MemoryTier } from "@membus/protocol";
import { kindIs } from "../../kind-filter.js";
import type { ResolvedLongTermOptions } from "../long-term-options.js";
import { NamespaceView } from "../namespace-view.js";
import { readTask, type Task, type TaskState, taskEntry, type Work } from "./task.js";

/** One namespace for the tasks of all subjects, so that a worker finds them without knowing the subjects. */
const NAMESPACE = "tasks";

/** Tasks per page. Other workers may take some of them first. */
const PAGE = 16;

/** Returns the subjects with due tasks, among the 100 oldest tasks. */
export async function pendingSubjects(memory: AgentMemory, tier: MemoryTier, now: number): Promise<string[]> {
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

/** Returns the namespace of tasks. It is never shared, because their content is untrusted. */
function tasksOf(memory: AgentMemory, tier: MemoryTier): NamespaceView {
  return new NamespaceView(memory, NAMESPACE, tier === "working" ? "working" : "episodic");
}

/** The durable queue of tasks of a subject. */
export class TaskQueue {
  readonly #view: NamespaceView;
  readonly #options: ResolvedLongTermOptions;
  readonly #clock: Clock;

  constructor(memory: AgentMemory, options: ResolvedLongTermOptions, clock: Clock) {
    this.#view = tasksOf(memory, options.tier);
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * @returns their ids, in order. @throws {MemoryError} if a task could not be stored. Stored tasks are
   * processed anyway.
   */
  async add(works: readonly Work[]): Promise<string[]> {
    const { subject, tier } = this.#options;
    const tasks = works.map(
      (work): Task => ({
        id: randomUUID(),
        content: { work },
        metadata: {
          kind: "task",
          about: subject,
          tier,
          state: "queued",
          attempts: 0,
          due: this.#clock.now(),
        },
        revision: 0,
      }),
    );
    const { errors } = await this.#view.store(tasks.map((task) => taskEntry(task, undefined)));
    if (errors[0] !== undefined) throw toMemoryError(errors[0]);
    return tasks.map(({ id }) => id);
  }

  /** @throws {MemoryError} `memory_not_found` if this subject has no such task, or it has expired. */
  async get(id: string): Promise<Task> {
    const [entry] = (await this.#view.byKey([{ task: id }])).values();
    const task = entry && readTask(entry);
    if (task?.metadata.about === this.#options.subject && task.metadata.tier === this.#options.tier)
      return task;
    throw new MemoryError(
      "memory_not_found",
      `event ${id} of the subject ${this.#options.subject} does not exist`,
    );
  }

  /** Takes the oldest due task with a lease. undefined if there is none. */
  async take(): Promise<Task | undefined> {
    const now = this.#clock.now();
    const where: Filter = {
      all: [this.#own, stateIs("queued", "running"), { field: "metadata.due", op: "lte", value: now }],
    };
    for (const entry of await this.#view.page({ where, order: "oldest", limit: PAGE })) {
      const task = readTask(entry);
      const claimed = task && (await this.#begin(task));
      if (claimed !== undefined) return claimed;
    }
    return undefined;
  }

  /**
   * Returns the seconds until the next task is due, including tasks of other workers. undefined if there is
   * none.
   */
  async dueInS(): Promise<number | undefined> {
    const where: Filter = { all: [this.#own, stateIs("queued", "running")] };
    const dues: number[] = [];
    for (const entry of await this.#view.page({ where, order: "oldest", limit: PAGE })) {
      const task = readTask(entry);
      if (task !== undefined) dues.push(task.metadata.due);
    }
    return dues.length === 0 ? undefined : Math.max(0, Math.min(...dues) - this.#clock.now());
  }

  async #begin(task: Task): Promise<Task | undefined> {
    const { attempts } = task.metadata;
    if (attempts >= this.#options.taskAttemptCountMax) {
      await this.end(task, "failed", {
        reason: "timeout: the process that started the task stopped responding",
      });
      return undefined;
    }
    const due = this.#clock.now() + this.#options.taskLeaseS;
    return this.#change(task, { state: "running", attempts: attempts + 1, due });
  }

  /** Schedules a retry. */
  async postpone(task: Task): Promise<void> {
    const waitS = this.#options.taskRetryS * 2 ** (task.metadata.attempts - 1);
    await this.#change(task, { state: "queued", due: this.#clock.now() + waitS });
  }

  /** Schedules a retry that does not count as an attempt, at the earliest after `waitS`. */
  async defer(task: Task, waitS: number, reason: string): Promise<void> {
    const due = this.#clock.now() + Math.max(this.#options.taskRetryS, waitS);
    const content = { ...task.content, reason };
    await this.#change({ ...task, content }, { state: "queued", attempts: task.metadata.attempts - 1, due });
  }

  /** Ends a task. Its result is kept for `taskKeepS`, its work only if it failed. */
  async end(task: Task, state: "done" | "failed", result: Omit<Task["content"], "work">): Promise<void> {
    const content = state === "failed" ? { ...result, work: task.content.work } : result;
    await this.#change({ ...task, content }, { state }, this.#options.taskKeepS);
  }

  /** Queues a failed task again. @returns false if it has not failed, or another caller queued it. */
  async requeue(id: string): Promise<boolean> {
    const task = await this.get(id);
    if (task.metadata.state !== "failed") return false;
    const { work } = task.content;
    const changes = { state: "queued", attempts: 0, due: this.#clock.now() } as const;
    return (await this.#change({ ...task, content: { work } }, changes)) !== undefined;
  }

  /** Cancels all tasks of the subject. */
  async forgetAll(): Promise<number> {
    return this.#view.forget({ where: this.#own });
  }

  /** Changes a task. undefined after a conflict: another worker then owns it. */
  async #change(task: Task, changes: Partial<Task["metadata"]>, ttlS?: number): Promise<Task | undefined> {
    const changed = { ...task, metadata: { ...task.metadata, ...changes } };
    const { receipts } = await this.#view.store([taskEntry(changed, ttlS)]);
    return receipts[0] && { ...changed, revision: receipts[0].revision };
  }

  get #own(): Filter {
    const { subject, tier } = this.#options;
    return {
      all: [
        kindIs("task"),
        { field: "metadata.about", op: "eq", value: subject },
        { field: "metadata.tier", op: "eq", value: tier },
      ],
    };
  }
}

function stateIs(...states: readonly TaskState[]): Filter {
  return { field: "metadata.state", op: "in", value: [...states] };
}
