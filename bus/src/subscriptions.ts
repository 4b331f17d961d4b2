import { type Clock, InFlightCounter } from "@membus/protocol";
import type { BusMessage, BusSubscription, Logger } from "@membus/protocol/plugin";
import type { ResolvedBusDependencies } from "./dependencies.js";

/** Calls the `onMessage` of one subscription, logs its failures, and tracks running calls. */
export class HandlerTracker {
  readonly #subject: string;
  readonly #onMessage: (message: BusMessage) => void | Promise<void>;
  readonly #logger: Logger;
  readonly #running = new InFlightCounter();

  constructor(subject: string, onMessage: (message: BusMessage) => void | Promise<void>, logger: Logger) {
    this.#subject = subject;
    this.#onMessage = onMessage;
    this.#logger = logger;
  }

  run(message: BusMessage): void {
    try {
      const result = this.#onMessage(message);
      if (result instanceof Promise) void this.#running.track(result.catch((error) => this.#report(error)));
    } catch (error) {
      this.#report(error);
    }
  }

  /** Resolves when no asynchronous call is running. */
  idle(): Promise<void> {
    return this.#running.idle();
  }

  #report(error: unknown): void {
    this.#logger.error({ err: error, subject: this.#subject }, "subscription callback failed");
  }
}

/** Returns true if `work` resolves or rejects within `timeoutMs`. */
export function settledWithin(timeoutMs: number, work: Promise<unknown>, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(timeoutMs, () => resolve(false));
    const settled = () => {
      cancel();
      resolve(true);
    };
    work.then(settled, settled);
  });
}

/** Drains every subscription. Gives up after `timeoutMs`, so that a hanging callback cannot block a close. */
export async function drainWithin(
  timeoutMs: number,
  subscriptions: Iterable<BusSubscription>,
  { logger, clock }: ResolvedBusDependencies,
): Promise<void> {
  const drained = Promise.all(Array.from(subscriptions, (subscription) => subscription.drain()));
  if (await settledWithin(timeoutMs, drained, clock)) return;
  logger.warn({ timeoutMs }, "closing the bus while callbacks are running");
}
