import type { Clock } from "@membus/protocol";
import { ModelError } from "../model-error.js";

/** Aborts a call when its caller aborts or its time is over. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #late = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #cancel: () => void = () => {};

  constructor(clock: Clock, timeoutMs: number, caller: AbortSignal | undefined) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.signal = caller === undefined ? this.#late.signal : AbortSignal.any([caller, this.#late.signal]);
    this.extend();
  }

  /** Restarts the timeout. */
  extend(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(this.#timeoutMs, () => this.#late.abort());
  }

  stop(): void {
    this.#cancel();
  }

  /**
   * @throws the reason of the caller's signal if it is aborted, `ModelError` "timeout" if the time is over.
   */
  check(): void {
    this.#caller?.throwIfAborted();
    if (!this.#late.signal.aborted) return;
    throw new ModelError("timeout", `the model provider did not answer within ${this.#timeoutMs} ms`);
  }
}
