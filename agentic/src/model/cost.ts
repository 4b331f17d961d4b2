import type { Clock } from "@membus/protocol";
import type { BudgetState } from "./budget-state.js";
import type { TokenUsage } from "./chat-model.js";
import type { ModelError } from "./model-error.js";

export const NO_USAGE: TokenUsage = Object.freeze({ inputTokens: 0, outputTokens: 0 });

/** Cost of a call. Every operation of this package reports it. */
export interface Cost {
  /** Number of attempts, including failed ones. */
  readonly modelCalls: number;
  /** As reported by the models, otherwise estimated. A call that the model did not read counts 0. */
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

/** Returns the cost of calls one after the other, with the newest state of the budget. */
export function sumCosts(costs: readonly Cost[]): Cost {
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  const budget = costs.findLast((cost) => cost.budget !== undefined)?.budget;
  return {
    modelCalls: sum((cost) => cost.modelCalls),
    inputTokens: sum((cost) => cost.inputTokens),
    outputTokens: sum((cost) => cost.outputTokens),
    tookMs: sum((cost) => cost.tookMs),
    entriesWritten: sum((cost) => cost.entriesWritten),
    ...(costs.some(({ usd }) => usd !== undefined) && { usd: sum(({ usd = 0 }) => usd) }),
    ...(budget !== undefined && { budget }),
  };
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

  /** Counts a failed call, and returns its error. A call over the budget was not made. */
  failed(error: ModelError): ModelError {
    if (error.code === "over_budget") this.#budget = error.budget;
    else this.model(error.usage ?? NO_USAGE, error.budget);
    return error;
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
