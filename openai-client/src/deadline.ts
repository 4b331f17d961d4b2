import type { Clock } from "@membus/protocol";
import { ProviderError } from "./provider-error.js";

/** Aborts work when its caller aborts it or its time is over. */
export class Deadline {
  /** Its reason is the caller's reason, or `ProviderError` "timeout". */
  readonly signal: AbortSignal;
  readonly #late = new AbortController();
  readonly #start: () => () => void;
  #cancel: () => void;

  /** @param provider name of the server in the message, such as "the reranker". */
  constructor(clock: Clock, timeoutMs: number, provider: string, caller: AbortSignal | undefined) {
    this.signal = caller === undefined ? this.#late.signal : AbortSignal.any([caller, this.#late.signal]);
    const expire = () =>
      this.#late.abort(new ProviderError("timeout", `${provider} did not answer within ${timeoutMs} ms`));
    this.#start = () => clock.after(timeoutMs, expire);
    this.#cancel = this.#start();
  }

  /** Restarts the timeout. */
  extend(): void {
    this.#cancel();
    this.#cancel = this.#start();
  }

  /** Stops the timeout. */
  stop(): void {
    this.#cancel();
  }
}
