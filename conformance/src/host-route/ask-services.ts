import { randomUUID } from "node:crypto";
import { delay, systemClock, withTimeout } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";

/** Maximum wait for the first answer, and for each further answer. */
const FIRST_MS = 1_500;
const OTHERS_MS = 200;

/** Returns every answer to a request on a NATS service subject. */
export async function askServices(bus: Bus, subject: string): Promise<readonly BusMessage[]> {
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
    bus.publish(subject, new Uint8Array(), { reply });
    await withTimeout(systemClock, FIRST_MS, first);
    if (answers.length > 0) await delay(systemClock, OTHERS_MS);
  } finally {
    await subscription.drain();
  }
  return answers;
}
