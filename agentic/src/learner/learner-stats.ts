import type { OutcomeName, RunResult } from "../long-term/index.js";
import type { Cost } from "../model/index.js";
import type { LearnedBatch } from "./learn-batch.js";

/** What a learner has done since it was made. */
export interface LearnerStats {
  /** How often it has looked for news. */
  readonly looks: number;
  /** Batches that are learned, and their messages. */
  readonly batches: number;
  readonly messages: number;
  /** What became of what was found in them. */
  readonly outcomes: Readonly<Record<OutcomeName, number>>;
  /** Attempts at batches that failed. */
  readonly failures: number;
  /** Messages that were set aside: the model takes them neither with others nor alone. */
  readonly setAside: number;
  /** Batches that another learner has gone on with. */
  readonly lost: number;
  /** Queued records of long-term memory that were gone on with. */
  readonly tasks: RunResult;
  /** Of what is learned. */
  readonly cost: Cost;
}

const NO_OUTCOMES = { new: 0, updated: 0, extended: 0, duplicate: 0, superseded: 0, refused: 0 };

/** Counts it. */
export class LearnerCounts {
  looks = 0;
  failures = 0;
  setAside = 0;
  lost = 0;
  #batches = 0;
  #messages = 0;
  readonly #outcomes: Record<OutcomeName, number> = { ...NO_OUTCOMES };
  #tasks: RunResult = { done: 0, failed: 0, postponed: 0 };
  #cost: Cost = { modelCalls: 0, inputTokens: 0, outputTokens: 0, tookMs: 0, entriesWritten: 0 };

  learned({ messages, outcomes, cost }: LearnedBatch): void {
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

  ran({ done, failed, postponed }: RunResult): void {
    const sum = this.#tasks;
    this.#tasks = {
      done: sum.done + done,
      failed: sum.failed + failed,
      postponed: sum.postponed + postponed,
    };
  }

  get stats(): LearnerStats {
    const { looks, failures, setAside, lost } = this;
    return {
      ...{ looks, failures, setAside, lost, batches: this.#batches, messages: this.#messages },
      ...{ outcomes: { ...this.#outcomes }, tasks: this.#tasks, cost: this.#cost },
    };
  }
}
