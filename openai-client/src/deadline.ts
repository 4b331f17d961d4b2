import type { Clock } from "@membus/protocol";
import { ProviderError } from "./provider-error.js";

/** Aborts work when its caller aborts it or its time is over. */
export class Deadline {
  /** Its reason is the caller's reason, or `ProviderError` "timeout". */
  readonly signal: AbortSignal;
  readonly #late = new AbortController();
  readonly #clock: Clock;
  #cancel: () => void;

  /** @param message message of the error, such as "the reranker did not answer within 1000 ms". */
  constructor(clock: Clock, timeoutMs: number, message: string, caller: AbortSignal | undefined) {
    this.signal = caller === undefined ? this.#late.signal : AbortSignal.any([caller, this.#late.signal]);
    this.#clock = clock;
    this.#cancel = this.#start(timeoutMs, message);
  }

  /** Replaces the timeout by another one that starts now. */
  restart(timeoutMs: number, message: string): void {
    this.#cancel();
    this.#cancel = this.#start(timeoutMs, message);
  }

  /** Stops the timeout. */
  stop(): void {
    this.#cancel();
  }

  #start(timeoutMs: number, message: string): () => void {
    return this.#clock.after(timeoutMs, () => this.#late.abort(new ProviderError("timeout", message)));
  }
}
