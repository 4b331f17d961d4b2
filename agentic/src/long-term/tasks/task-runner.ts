import { type Clock, isMemoryError, type Logger } from "@membus/protocol";
import { CostMeter, ModelError } from "../../model/index.js";
import type { RecordOutcome } from "../outcome.js";
import type { Task, TaskOutcome, Work } from "./task.js";
import type { TaskQueue } from "./task-queue.js";

export interface RunResult {
  /** Tasks that are done, and that have failed for good. */
  readonly done: number;
  readonly failed: number;
  /** Tasks that are begun again later. */
  readonly postponed: number;
}

/** Does what a task says. Its meter gets what that costs. */
export type DoWork = (work: Work, meter: CostMeter) => Promise<RecordOutcome[]>;

export interface TaskRunnerServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly attemptCountMax: number;
}

/** Does what is queued: one task after the other, each by one process. */
export class TaskRunner {
  readonly #queue: TaskQueue;
  readonly #work: DoWork;
  readonly #services: TaskRunnerServices;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;
  #cancelTimer: () => void = () => {};

  constructor(queue: TaskQueue, work: DoWork, services: TaskRunnerServices) {
    this.#queue = queue;
    this.#work = work;
    this.#services = services;
  }

  /** Until nothing is due. @throws {MemoryError} for what the bus or the host reports about the queue. */
  async run(): Promise<RunResult> {
    const result = { done: 0, failed: 0, postponed: 0 };
    for (let task = await this.#queue.take(); task !== undefined; task = await this.#queue.take()) {
      result[await this.#runOne(task)] += 1;
    }
    return result;
  }

  /** Begins in the background, unless it has begun; comes back for what is due later. */
  start(): void {
    this.#isWanted = true;
    if (this.#isClosed || this.#running !== undefined) return;
    this.#cancelTimer();
    this.#running = this.#runWanted();
  }

  /** When nothing runs in the background. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** What is queued stays so. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isWanted = false;
    this.#cancelTimer();
    await this.settled();
  }

  /** Nothing is awaited between the last look at what is wanted and the end: whoever calls `start` then begins anew. */
  async #runWanted(): Promise<void> {
    try {
      let dueInS: number | undefined;
      do {
        this.#isWanted = false;
        await this.run();
        dueInS = await this.#queue.dueInS();
      } while (this.#isWanted);
      if (dueInS === undefined || this.#isClosed) return;
      const delayMs = Math.min(Math.max(dueInS, 1) * 1000, 3_600_000);
      this.#cancelTimer = this.#services.clock.after(delayMs, () => this.start(), { background: true });
    } catch (error) {
      this.#services.logger.warn({ error: String(error) }, "queued memories wait for the next run");
    } finally {
      this.#running = undefined;
    }
  }

  async #runOne(task: Task): Promise<keyof RunResult> {
    const meter = new CostMeter(this.#services.clock);
    try {
      const { work } = task.content;
      const outcomes = work === undefined ? [] : await this.#work(work, meter);
      await this.#queue.end(task, "done", { outcomes: outcomes.map(toldOf), cost: meter.cost });
      return "done";
    } catch (error) {
      if (isPassing(error) && task.metadata.attempts < this.#services.attemptCountMax) {
        await this.#queue.postpone(task);
        return "postponed";
      }
      await this.#queue.end(task, "failed", { reason: reasonOf(error), cost: meter.cost });
      return "failed";
    }
  }
}

function toldOf({ outcome, id, replaced, reason, quarantined }: RecordOutcome): TaskOutcome {
  return {
    outcome,
    ...(id !== undefined && { id }),
    ...(replaced !== undefined && { replaced }),
    ...(reason !== undefined && { reason }),
    ...(quarantined && { quarantined }),
  };
}

function isPassing(error: unknown): boolean {
  return (error instanceof ModelError || isMemoryError(error)) && error.retryable;
}

function reasonOf(error: unknown): string {
  if (error instanceof ModelError || isMemoryError(error)) return `${error.code}: ${error.message}`;
  return `runtime_error: ${String(error)}`;
}
