import type { BusMessage, Logger } from "@membus/protocol";

/** Calls one subscription's `onMessage`, keeps its failures away from the connection, and knows when it is idle. */
export class HandlerRuns {
  readonly #subject: string;
  readonly #onMessage: (message: BusMessage) => void | Promise<void>;
  readonly #logger: Logger;
  #running = 0;
  #whenIdle: (() => void)[] = [];

  constructor(subject: string, onMessage: (message: BusMessage) => void | Promise<void>, logger: Logger) {
    this.#subject = subject;
    this.#onMessage = onMessage;
    this.#logger = logger;
  }

  run(message: BusMessage): void {
    try {
      const result = this.#onMessage(message);
      if (result instanceof Promise) void this.#track(result);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Resolves when no asynchronous run is left. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  async #track(result: Promise<void>): Promise<void> {
    this.#running++;
    try {
      await result;
    } catch (error) {
      this.#report(error);
    }
    this.#running--;
    if (this.#running > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #report(error: unknown): void {
    this.#logger.error({ err: error, subject: this.#subject }, "a subscription's callback failed");
  }
}
