import { expect, it } from "vitest";
import { fetchMessages } from "../src/log/fetch-messages.js";
import { TestClock } from "./test-clock.js";

/** A consumer with requests that end only when they are closed, as those to a server that is gone. */
function silentConsumer() {
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  let fetchCount = 0;
  const messages = {
    close: async () => close(),
    [Symbol.asyncIterator]: () => ({ next: () => closed.then(() => ({ done: true, value: undefined })) }),
  };
  const consumer = {
    fetch: async () => {
      fetchCount += 1;
      return messages;
    },
    delete: async () => true,
  };
  return { consumer: consumer as never, fetchCount: () => fetchCount };
}

it("a request for messages that does not end fails after 15 seconds", async () => {
  const { consumer, fetchCount } = silentConsumer();
  const clock = new TestClock();
  const next = fetchMessages(consumer, clock)[Symbol.asyncIterator]().next();
  const failed = expect(next).rejects.toMatchObject({
    code: "unavailable",
    message: "JetStream did not answer: a request for messages did not end",
  });
  await expect.poll(fetchCount).toBe(1);
  await clock.advance(15_000);
  await failed;
});
