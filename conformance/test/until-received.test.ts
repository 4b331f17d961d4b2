import { type Clock, encodeMessage, MemoryError } from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { expect, it } from "vitest";
import { untilReceived } from "../src/host-route/until-received.js";

const REQUEST = ["subject", new Uint8Array(), { timeoutMs: 100 }] as const;

function reply(message: Readonly<Record<string, unknown>>): BusMessage {
  return { subject: "inbox", payload: encodeMessage(message, "json"), headers: {} };
}

/** Returns a clock on which a delay takes no time. */
function clock(): Clock {
  let ms = 0;
  const after = (delayMs: number, run: () => void) => {
    ms += delayMs;
    queueMicrotask(run);
    return () => {};
  };
  return { now: () => ms / 1_000, after };
}

/** Returns a bus that gives these answers in order, and the requests that it received. */
function busOf(answers: readonly (BusMessage | MemoryError)[]) {
  const sent: (typeof REQUEST)[] = [];
  const request = async (...parts: unknown[]) => {
    const answer = answers[sent.length]!;
    sent.push(parts as unknown as typeof REQUEST);
    if (answer instanceof MemoryError) throw answer;
    return answer;
  };
  return { bus: untilReceived({ request } as never, clock()), sent };
}

const unreceived = new MemoryError("unavailable", "no responders", { reason: "no_responders" });
const moved = reply({ type: "error", code: "unavailable", detail: { reason: "shard_moved" } });
const pong = reply({ type: "pong" });

it("a request to a cluster is sent again until a host answers it", async () => {
  const { bus, sent } = busOf([unreceived, moved, pong]);
  expect(await bus.request(...REQUEST)).toBe(pong);
  expect(sent).toEqual([REQUEST, REQUEST, REQUEST]);
});

it.each([
  ["another refusal", reply({ type: "error", code: "unavailable", detail: { reason: "storage_damaged" } })],
  ["bytes that are no message", { ...pong, payload: Buffer.from("no") }],
])("a request with %s as its reply is not sent again", async (_, answer) => {
  const { bus, sent } = busOf([answer]);
  expect(await bus.request(...REQUEST)).toBe(answer);
  expect(sent).toHaveLength(1);
});

it.each([
  ["without a reply in time", new MemoryError("timeout", "no reply")],
  ["on a cut connection", new MemoryError("unavailable", "disconnected", { reason: "disconnected" })],
])("a request %s is not sent again", async (_, error) => {
  const { bus, sent } = busOf([error]);
  await expect(bus.request(...REQUEST)).rejects.toBe(error);
  expect(sent).toHaveLength(1);
});

it("a request that no host receives for five seconds fails", async () => {
  const { bus, sent } = busOf(Array.from({ length: 100 }, () => unreceived));
  await expect(bus.request(...REQUEST)).rejects.toBe(unreceived);
  expect(sent).toHaveLength(51);
});
