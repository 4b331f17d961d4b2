import { randomUUID } from "node:crypto";
import { type Bus, type BusMessage, delay, systemClock, withTimeout } from "@membus/protocol";

/** How long the first answer may take, and how much later than it others may come. */
const FIRST_MS = 1_500;
const OTHERS_MS = 200;

/** Every answer to a request on a subject of NATS's own. */
export async function askServices(bus: Bus, subject: string): Promise<readonly BusMessage[]> {
  const reply = `${bus.inboxPrefix}.${randomUUID()}`;
  const answers: BusMessage[] = [];
  let onFirst: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    onFirst = resolve;
  });
  const subscription = bus.subscribe(reply, (answer) => {
    // An empty one is the server's, which says that nobody listens.
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
