import type { Clock } from "@membus/protocol";
import type { TokenUsage } from "./chat-model.js";

/** What a call came to: everything that agents do with memory reports it. */
export interface Cost {
  /** Attempts, those that failed included. */
  readonly modelCalls: number;
  /** As the models tell them; 0 for what failed without telling. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Wall-clock time of the whole call. */
  readonly tookMs: number;
  /** Entries that were created, updated or forgotten. */
  readonly entriesWritten: number;
}

/** Adds up what the parts of one call cost. */
export class CostMeter {
  /** What the call's pauses are waited on, too. */
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
