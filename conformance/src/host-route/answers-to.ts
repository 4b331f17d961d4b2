import { randomUUID } from "node:crypto";
import { delay, systemClock, withTimeout } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { PATIENCE_MS } from "../fixtures/patience.js";

/** Maximum wait for the first answer, and the wait for further answers after it. Milliseconds. */
export interface AnswerWaits {
  readonly firstMs: number;
  readonly othersMs: number;
}

/** Waits for a host that gets many requests at once, and answers the last ones late. */
export const FLOOD_WAITS: AnswerWaits = { firstMs: PATIENCE_MS, othersMs: 500 };

/** Returns every answer to a message. Empty if there is no subscriber. */
export async function answersTo(
  bus: Bus,
  subject: string,
  payload: Uint8Array,
  { firstMs, othersMs }: AnswerWaits,
): Promise<readonly BusMessage[]> {
  const reply = `${bus.inboxPrefix}.${randomUUID()}`;
  const answers: BusMessage[] = [];
  let onFirst: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    onFirst = resolve;
  });
  const subscription = bus.subscribe(reply, (answer) => {
    // The server sends an empty message if there is no subscriber.
    if (answer.payload.length > 0) answers.push(answer);
    onFirst();
  });
  try {
    await bus.flush();
    bus.publish(subject, payload, { reply });
    await withTimeout(systemClock, firstMs, first);
    if (answers.length > 0) await delay(systemClock, othersMs);
  } finally {
    await subscription.drain();
  }
  return answers;
}
