import type { MonotonicClock } from "@membus/protocol";
import type { Consumer, JsMsg } from "@nats-io/jetstream";
import { storeError } from "../bucket/index.js";

/** Limits of a request for messages. One with a limit of bytes would end with an error after 100 messages. */
const FETCH = { max_messages: 16, expires: 2_000, idle_heartbeat: 500 };
/** Time after which a request has not ended although it should. The client repeats some failed requests without end. */
const ENDS_WITHIN_MS = 15_000;

/**
 * Passes on the messages of a consumer, in order, until none is received for two seconds.
 * @throws {MemoryError} `unavailable` if a request does not end within 15 seconds. Else as `storeError`.
 */
export async function* fetchMessages(
  consumer: Pick<Consumer, "fetch" | "delete">,
  clock: MonotonicClock,
): AsyncIterable<JsMsg> {
  try {
    for (let count = 1; count > 0; ) {
      count = 0;
      const messages = await consumer.fetch(FETCH);
      let isLate = false;
      const cancel = clock.after(ENDS_WITHIN_MS, () => {
        isLate = true;
        void messages.close();
      });
      try {
        for await (const message of messages) {
          count += 1;
          yield message;
        }
      } finally {
        cancel();
      }
      if (isLate) throw new Error("a request for messages did not end");
    }
  } catch (error) {
    throw storeError(error);
  } finally {
    await consumer.delete().catch(() => false);
  }
}
