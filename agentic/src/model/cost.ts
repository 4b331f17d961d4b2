import type { Clock } from "@membus/protocol";
import type { BudgetState, TokenUsage } from "./chat-model.js";

/** Cost of a call. Every operation of this package reports it. */
export interface Cost {
  /** Number of attempts, including failed ones. */
  readonly modelCalls: number;
  /** As reported by the models. Failed calls may report 0. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Wall-clock time of the whole call in milliseconds. */
  readonly tookMs: number;
  /** Number of entries that were created, updated or forgotten. */
  readonly entriesWritten: number;
  /** Cost in US dollars. Absent without a budget. */
  readonly usd?: number | undefined;
  /** State of the budget after the last call of a model. Absent without a budget. */
  readonly budget?: BudgetState | undefined;
}

/** Adds up the cost of the parts of a call. */
export class CostMeter {
  /** Clock of the call, also used for its pauses. */
  readonly clock: Clock;
  #modelCalls = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #entriesWritten = 0;
  #usd: number | undefined;
  #budget: BudgetState | undefined;
  readonly #begunAt: number;

  constructor(clock: Clock) {
    this.clock = clock;
    this.#begunAt = clock.now();
  }

  /** Counts a call of a model, with the state of its budget. */
  model({ inputTokens, outputTokens, usd }: TokenUsage, budget?: BudgetState | undefined): void {
    this.#modelCalls += 1;
    this.#inputTokens += inputTokens;
    this.#outputTokens += outputTokens;
    if (usd !== undefined) this.#usd = (this.#usd ?? 0) + usd;
    this.#budget = budget ?? this.#budget;
  }

  written(entries: number): void {
    this.#entriesWritten += entries;
  }

  get cost(): Cost {
    return {
      modelCalls: this.#modelCalls,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      tookMs: (this.clock.now() - this.#begunAt) * 1000,
      entriesWritten: this.#entriesWritten,
      ...(this.#usd !== undefined && { usd: this.#usd }),
      ...(this.#budget !== undefined && { budget: this.#budget }),
    };
  }
}
