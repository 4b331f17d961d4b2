import { type Clock, isMemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { CostMeter, ModelError } from "../../model/index.js";
import type { RecordOutcome } from "../outcome.js";
import type { Task, TaskOutcome, Work } from "./task.js";
import type { TaskQueue } from "./task-queue.js";

/** Maximum time until a deferred task is tried again, in seconds. */
const DEFER_MAX_S = 600;

export interface RunResult {
  /** Number of tasks that are completed, and of tasks that failed permanently. */
  readonly done: number;
  readonly failed: number;
  /** Number of tasks that will be retried. */
  readonly postponed: number;
}

/** Performs the work of a task. The meter collects its cost. */
export type DoWork = (work: Work, meter: CostMeter) => Promise<RecordOutcome[]>;

export interface TaskRunnerServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly attemptCountMax: number;
}

/** Processes queued tasks, one after the other. */
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

  /** Runs until no task is due. @throws {MemoryError} for failures of the queue. */
  async run(): Promise<RunResult> {
    const result = { done: 0, failed: 0, postponed: 0 };
    for (let task = await this.#queue.take(); task !== undefined; task = await this.#queue.take()) {
      result[await this.#runOne(task)] += 1;
    }
    return result;
  }

  /** Starts processing in the background, if it is not running, and schedules the next run. */
  start(): void {
    this.#isWanted = true;
    if (this.#isClosed || this.#running !== undefined) return;
    this.#cancelTimer();
    this.#running = this.#runWanted();
  }

  /** Resolves when no background work is running. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Stops. Queued tasks stay queued. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isWanted = false;
    this.#cancelTimer();
    await this.settled();
  }

  /**
   * There is no await between the last check of `#isWanted` and the end, so a later `start` begins a new run.
   */
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
      this.#services.logger.warn(
        { error: String(error) },
        "queued tasks failed, will retry with the next run",
      );
    } finally {
      this.#running = undefined;
    }
  }

  async #runOne(task: Task): Promise<keyof RunResult> {
    const meter = new CostMeter(this.#services.clock);
    try {
      const { work } = task.content;
      const outcomes = work === undefined ? [] : await this.#work(work, meter);
      await this.#queue.end(task, "done", { outcomes: outcomes.map(toTaskOutcome), cost: meter.cost });
      return "done";
    } catch (error) {
      if (isAway(error)) {
        await this.#defer(task, error);
        return "postponed";
      }
      const details = { task: task.id, error: reasonOf(error) };
      if (isRetryable(error) && task.metadata.attempts < this.#services.attemptCountMax) {
        this.#services.logger.warn(details, "could not learn from messages, will retry");
        await this.#queue.postpone(task);
        return "postponed";
      }
      this.#services.logger.error(details, "could not learn from messages, will not retry");
      await this.#queue.end(task, "failed", { reason: reasonOf(error), cost: meter.cost });
      return "failed";
    }
  }

  async #defer(task: Task, error: ModelError): Promise<void> {
    const { code, message, retryAfterMs = 0 } = error;
    const details = { task: task.id, code, error: message };
    this.#services.logger.warn(details, "the model cannot be used, the record stays queued");
    await this.#queue.defer(task, Math.min(retryAfterMs / 1000, DEFER_MAX_S), reasonOf(error));
  }
}

/** Returns whether the model cannot be used for now. The work then waits for as long as it takes. */
function isAway(error: unknown): error is ModelError {
  return error instanceof ModelError && ["unavailable", "rate_limited", "over_budget"].includes(error.code);
}

function toTaskOutcome({ outcome, id, replaced, reason, quarantined }: RecordOutcome): TaskOutcome {
  return {
    outcome,
    ...(id !== undefined && { id }),
    ...(replaced !== undefined && { replaced }),
    ...(reason !== undefined && { reason }),
    ...(quarantined && { quarantined }),
  };
}

function isRetryable(error: unknown): boolean {
  return (error instanceof ModelError || isMemoryError(error)) && error.retryable;
}

function reasonOf(error: unknown): string {
  if (error instanceof ModelError || isMemoryError(error)) return `${error.code}: ${error.message}`;
  return `runtime_error: ${String(error)}`;
}
