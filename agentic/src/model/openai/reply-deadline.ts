import { Deadline } from "@membus/openai-client";
import type { Clock } from "@membus/protocol";
import type { ResolvedOpenAiChatOptions } from "./openai-options.js";

const PROVIDER = "the model provider";

/**
 * Limits the time of a streamed reply: until its first part, between its parts, and in total. The time that the
 * consumer takes between two parts does not count.
 */
export class ReplyDeadline {
  readonly #deadline: Deadline;
  readonly #clock: Clock;
  readonly #options: ResolvedOpenAiChatOptions;
  #leftMs: number;
  #waitingSince: number;

  constructor(clock: Clock, options: ResolvedOpenAiChatOptions, caller: AbortSignal | undefined) {
    const { firstTokenTimeoutMs, timeoutMs } = options;
    this.#clock = clock;
    this.#options = options;
    this.#leftMs = timeoutMs;
    this.#waitingSince = clock.now();
    const firstMs = Math.min(firstTokenTimeoutMs, timeoutMs);
    const limit = firstMs === timeoutMs ? "timeoutMs" : "firstTokenTimeoutMs";
    const message = `${PROVIDER} did not answer within ${firstMs} ms. Raise ${limit}`;
    this.#deadline = new Deadline(clock, firstMs, message, caller);
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  /** Stops the time while the consumer has a part, and when the reply is over. */
  stop(): void {
    this.#deadline.stop();
    this.#leftMs -= Math.max(0, this.#clock.now() - this.#waitingSince) * 1000;
  }

  /** Starts the time for the next part. */
  waitForNext(): void {
    const { pauseTimeoutMs, timeoutMs } = this.#options;
    this.#waitingSince = this.#clock.now();
    const isTotal = this.#leftMs < pauseTimeoutMs;
    const message = isTotal
      ? `${PROVIDER} did not end its reply within ${timeoutMs} ms. Raise timeoutMs`
      : `${PROVIDER} paused within its reply for ${pauseTimeoutMs} ms. Raise pauseTimeoutMs`;
    this.#deadline.restart(Math.max(1, isTotal ? this.#leftMs : pauseTimeoutMs), message);
  }
}
