import type { Clock } from "@membus/protocol";
import type { TokenUsage } from "./chat-model.js";

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
}

/** Adds up the cost of the parts of a call. */
export class CostMeter {
  /** Clock of the call, also used for its pauses. */
  readonly clock: Clock;
  #modelCalls = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #entriesWritten = 0;
  readonly #begunAt: number;

  constructor(clock: Clock) {
    this.clock = clock;
    this.#begunAt = clock.now();
  }

  model({ inputTokens, outputTokens }: TokenUsage): void {
    this.#modelCalls += 1;
    this.#inputTokens += inputTokens;
    this.#outputTokens += outputTokens;
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
    };
  }
}
