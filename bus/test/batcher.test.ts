import type { BusMessage } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { NO_HEADERS } from "../src/headers.js";
import { BatchCounter } from "../src/nats/intake/batch-counter.js";
import { Batcher } from "../src/nats/intake/batcher.js";
import type { Batch } from "../src/nats/intake/thread-messages.js";

function messageOf(subject: string, payload = Buffer.from(subject)): BusMessage {
  return { subject, reply: "_INBOX.x", headers: NO_HEADERS, payload };
}

/** Counter with a callback before each look at it. */
class WatchedCounter extends BatchCounter {
  onLook: () => void = () => {};

  override get processed(): number {
    this.onLook();
    return super.processed;
  }
}

/** Creates a batcher. `receive` processes the oldest batch and returns its subjects. */
function batcherOf() {
  const batches: Batch[] = [];
  const time = { s: 0 };
  const clock = { now: () => time.s, after: () => () => {} };
  const counter = new WatchedCounter();
  const batcher = new Batcher(2, counter, (batch) => batches.push(batch), clock);
  const receive = () => {
    const batch = batches.shift();
    if (batch !== undefined && counter.add()) batcher.taken();
    return batch?.messages.map(({ subject }) => subject);
  };
  const arrived = () => new Promise((resolve) => setImmediate(resolve));
  return { batcher, batches, counter, time, receive, arrived };
}

describe("Batcher", () => {
  it("sends the messages that arrived together in one batch, with their payloads and headers", async () => {
    const { batcher, batches, arrived } = batcherOf();
    const payload = Buffer.from("first");
    batcher.add(7, { ...messageOf("t.a", payload), headers: { name: "value" } });
    payload.fill(0);
    batcher.add(8, messageOf("t.b"));
    await arrived();
    expect(batches).toHaveLength(1);
    const { messages, payloads, dropped } = batches[0]!;
    expect(Buffer.from(payloads).toString()).toBe("firstt.b");
    expect(messages).toMatchObject([
      { id: 7, subject: "t.a", reply: "_INBOX.x", headers: { name: "value" }, length: 5 },
      { id: 8, subject: "t.b", headers: undefined, refusedBytes: undefined, isOverflowing: false },
    ]);
    expect(dropped).toBe(0);
  });

  it("sends two batches, and the next when one is processed", async () => {
    const { batcher, batches, receive, arrived } = batcherOf();
    for (let at = 0; at < 200; at++) batcher.add(1, messageOf(`t.a.${at}`));
    await arrived();
    expect(batches.map(({ messages }) => messages.length)).toEqual([64, 64]);
    expect(receive()?.[0]).toBe("t.a.0");
    receive();
    expect([receive(), receive()].flat()).toEqual(Array.from({ length: 72 }, (_, at) => `t.a.${128 + at}`));
  });

  it("refuses messages without space: the beginning of some, and the number of the others", async () => {
    const { batcher, batches, receive, arrived } = batcherOf();
    for (let at = 0; at < 1_024 + 100; at++) batcher.add(1, messageOf("t.a", Buffer.alloc(2_000, at)));
    await arrived();
    const refused = batches[0]!.messages.filter(({ refusedBytes }) => refusedBytes !== undefined);
    expect(refused).toHaveLength(64);
    expect(refused[0]).toMatchObject({ refusedBytes: 2_000, length: 1_024, isOverflowing: true });
    expect(batches[0]!.dropped).toBe(36);
    while (receive() !== undefined);
  });

  it("sends the messages of others first, and 4,000 per second of an overflowing sender", async () => {
    const { batcher, batches, time, receive, arrived } = batcherOf();
    for (let at = 0; at < 1_100; at++) batcher.add(1, messageOf("t.flood"));
    await arrived();
    receive();
    receive();
    batcher.add(1, messageOf("t.quiet"));
    time.s += 0.005;
    await arrived();
    const { messages } = batches[0]!;
    expect(messages[0]!.subject).toBe("t.quiet");
    expect(messages.slice(1).map(({ subject }) => subject)).toEqual(Array(20).fill("t.flood"));
  });

  it.each([1, 2, 3, 4])(
    "is idle only when nothing waits, if the receiver processes both batches before look %i",
    async (look) => {
      const { batcher, batches, counter, arrived } = batcherOf();
      for (let at = 0; at < 200; at++) batcher.add(1, messageOf("t.a"));
      await arrived();
      let [received, wakeUps, looks] = [0, 0, 0];
      const take = () => {
        const batch = batches.shift();
        received += batch?.messages.length ?? 0;
        if (batch !== undefined && counter.add()) wakeUps++;
      };
      counter.onLook = () => {
        if (++looks === look) for (let at = 0; at < 2; at++) take();
      };
      const receivedWhenIdle = batcher.idle().then(() => received);
      while (received < 200) {
        await arrived();
        take();
        for (; wakeUps > 0; wakeUps--) batcher.taken();
      }
      expect(await receivedWhenIdle).toBe(200);
    },
  );

  it("is idle when everything was processed", async () => {
    const { batcher, receive, arrived } = batcherOf();
    let isIdle = false;
    batcher.add(1, messageOf("t.a"));
    void batcher.idle().then(() => (isIdle = true));
    await arrived();
    expect(isIdle).toBe(false);
    receive();
    await arrived();
    expect(isIdle).toBe(true);
  });
});
