import type { OutcomeName, RunResult } from "../long-term/index.js";
import type { Cost } from "../model/index.js";
import type { LearnedBatch } from "./learn-batch.js";

/** Statistics of a learner since its creation. */
export interface LearnerStats {
  /** Number of searches for new messages. */
  readonly polls: number;
  /** Number of learned batches, and of their messages. */
  readonly batches: number;
  readonly messages: number;
  /** Number of facts by outcome. */
  readonly outcomes: Readonly<Record<OutcomeName, number>>;
  /** Failed attempts at batches. */
  readonly failures: number;
  /** Messages that were set aside because the model cannot process them. */
  readonly setAside: number;
  /** Batches that another learner took over. */
  readonly lost: number;
  /** Queued records of long-term memory that were processed. */
  readonly tasks: RunResult;
  /** Cost of the learned batches. */
  readonly cost: Cost;
}

const NO_OUTCOMES = { new: 0, updated: 0, extended: 0, duplicate: 0, superseded: 0, refused: 0 };

/** Collects the statistics of a learner. */
export class LearnerCounts {
  polls = 0;
  failures = 0;
  setAside = 0;
  lost = 0;
  #batches = 0;
  #messages = 0;
  readonly #outcomes: Record<OutcomeName, number> = { ...NO_OUTCOMES };
  #tasks: RunResult = { done: 0, failed: 0, postponed: 0 };
  #cost: Cost = { modelCalls: 0, inputTokens: 0, outputTokens: 0, tookMs: 0, entriesWritten: 0 };

  addBatch({ messages, outcomes, cost }: LearnedBatch): void {
    this.#batches += 1;
    this.#messages += messages;
    for (const { outcome } of outcomes) this.#outcomes[outcome] += 1;
    this.#cost = {
      modelCalls: this.#cost.modelCalls + cost.modelCalls,
      inputTokens: this.#cost.inputTokens + cost.inputTokens,
      outputTokens: this.#cost.outputTokens + cost.outputTokens,
      tookMs: this.#cost.tookMs + cost.tookMs,
      entriesWritten: this.#cost.entriesWritten + cost.entriesWritten,
    };
  }

  addTasks({ done, failed, postponed }: RunResult): void {
    const sum = this.#tasks;
    this.#tasks = {
      done: sum.done + done,
      failed: sum.failed + failed,
      postponed: sum.postponed + postponed,
    };
  }

  get stats(): LearnerStats {
    const { polls, failures, setAside, lost } = this;
    return {
      ...{ polls, failures, setAside, lost, batches: this.#batches, messages: this.#messages },
      ...{ outcomes: { ...this.#outcomes }, tasks: this.#tasks, cost: this.#cost },
    };
  }
}
