import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "@membus/protocol";

/** One request while it is answered. It ends when its client goes, and when nothing moves for too long. */
export class Call {
  readonly response: ServerResponse;
  /** Aborted at its end, so that nothing is asked for whom nobody waits. */
  readonly signal: AbortSignal;
  readonly #end = new AbortController();
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #cancelTimer = () => {};
  #isLate = false;

  constructor(response: ServerResponse, clock: Clock, timeoutMs: number) {
    this.response = response;
    this.signal = this.#end.signal;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    response.once("close", () => this.end());
    this.moves();
  }

  /** Nothing has moved for too long. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** From now it may take as long again. */
  moves(): void {
    this.#cancelTimer();
    if (this.signal.aborted) return;
    this.#cancelTimer = this.#clock.after(this.#timeoutMs, () => {
      this.#isLate = true;
      this.end();
    });
  }

  end(): void {
    this.#cancelTimer();
    this.#end.abort();
  }

  /** Waits where the client is slower. @throws when the call ends meanwhile. */
  async write(bytes: Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    this.moves();
    if (!this.response.write(bytes)) await once(this.response, "drain", { signal: this.signal });
  }
}
