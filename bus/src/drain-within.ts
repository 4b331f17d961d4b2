import type { BusSubscription, Clock } from "@membus/protocol";
import type { ResolvedBusDependencies } from "./dependencies.js";

/** True when `work` has resolved or rejected within `timeoutMs`. */
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

/** Drains every subscription; gives up after `timeoutMs`, so that a callback that hangs cannot hold up a close. */
export async function drainWithin(
  timeoutMs: number,
  subscriptions: Iterable<BusSubscription>,
  { logger, clock }: ResolvedBusDependencies,
): Promise<void> {
  const drained = Promise.all(Array.from(subscriptions, (subscription) => subscription.drain()));
  if (await settledWithin(timeoutMs, drained, clock)) return;
  logger.warn({ timeoutMs }, "closing the bus while callbacks are still running");
}
