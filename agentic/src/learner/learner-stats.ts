import type { OutcomeName, RunResult } from "../long-term/index.js";
import type { Cost, CountedModel } from "../model/index.js";
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
  /** Cost of all work, including failed batches. `tookMs` and `entriesWritten` count the learned batches. */
  readonly cost: Cost;
}

const NO_OUTCOMES = { new: 0, updated: 0, extended: 0, duplicate: 0, superseded: 0, refused: 0 };

/** Collects the statistics of a learner, with the calls of its model. */
export class LearnerCounts {
  readonly #model: CountedModel;
  polls = 0;
  failures = 0;
  setAside = 0;
  lost = 0;
  #batches = 0;
  #messages = 0;
  readonly #outcomes: Record<OutcomeName, number> = { ...NO_OUTCOMES };
  #tasks: RunResult = { done: 0, failed: 0, postponed: 0 };
  #tookMs = 0;
  #entriesWritten = 0;

  constructor(model: CountedModel) {
    this.#model = model;
  }

  addBatch({ messages, outcomes, cost }: LearnedBatch): void {
    this.#batches += 1;
    this.#messages += messages;
    for (const { outcome } of outcomes) this.#outcomes[outcome] += 1;
    this.#tookMs += cost.tookMs;
    this.#entriesWritten += cost.entriesWritten;
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
    const cost = { ...this.#model.calls, tookMs: this.#tookMs, entriesWritten: this.#entriesWritten };
    return {
      ...{ polls, failures, setAside, lost, batches: this.#batches, messages: this.#messages },
      ...{ outcomes: { ...this.#outcomes }, tasks: this.#tasks, cost },
    };
  }
}
