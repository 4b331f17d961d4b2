import { describe, expect, it } from "vitest";
import type { BusSetup } from "./bus-contract.js";
import { rejection } from "./expect-error.js";

const NOTHING = new Uint8Array();

export function describeRequests(setup: BusSetup): void {
  describe("requests", () => {
    describeAnswered(setup);
    describeUnanswered(setup);
    describeRequestMany(setup);
  });
}

function describeAnswered(setup: BusSetup): void {
  it("answers 64 concurrent requests correctly", async () => {
    const { bus } = await setup();
    bus.subscribe("echo", ({ payload, headers, reply }) => bus.publish(reply!, payload, { headers }));
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        bus.request("echo", Uint8Array.of(n), { timeoutMs: 60_000, headers: { n: String(n) } }),
      ),
    );
    expect(answers.map((answer) => answer.payload[0])).toEqual(Array.from(Array(64).keys()));
    expect(answers.map((answer) => answer.headers.n)).toEqual(Array.from(Array(64).keys(), String));
  });

  it("receives replies below its inbox prefix", async () => {
    const { bus } = await setup({ inboxPrefix: "_INBOX_alice" });
    expect(bus.inboxPrefix).toBe("_INBOX_alice");
    const replies: string[] = [];
    bus.subscribe("echo", ({ reply }) => {
      replies.push(reply!);
      bus.publish(reply!, NOTHING);
    });
    for (let n = 0; n < 2; n++) await bus.request("echo", NOTHING, { timeoutMs: 60_000 });
    expect(replies[0]).toMatch(/^_INBOX_alice\.[^.]+\.[^.]+$/);
    expect(new Set(replies).size).toBe(2);
  });

  it("returns the first of several replies", async () => {
    const { bus } = await setup();
    bus.subscribe("twice", ({ reply }) => {
      bus.publish(reply!, Uint8Array.of(1));
      bus.publish(reply!, Uint8Array.of(2));
    });
    const answer = await bus.request("twice", NOTHING, { timeoutMs: 60_000 });
    expect([...answer.payload]).toEqual([1]);
  });
}

function describeUnanswered(setup: BusSetup): void {
  it("fails immediately without responders", async () => {
    const { bus } = await setup();
    const error = await rejection(bus.request("nobody.here", NOTHING, { timeoutMs: 600_000 }), "unavailable");
    expect(error.detail).toEqual({ reason: "no_responders", subject: "nobody.here" });
  });

  it("fails with timeout if no reply arrives", async () => {
    const { bus } = await setup();
    bus.subscribe("silent", () => {});
    const error = await rejection(bus.request("silent", NOTHING, { timeoutMs: 30 }), "timeout");
    expect(error.detail).toEqual({ subject: "silent" });
  });

  it.each([0, -1, Number.NaN, 2 ** 31])("rejects a timeout of %d ms", async (timeoutMs) => {
    const { bus } = await setup();
    await expect(bus.request("a", NOTHING, { timeoutMs })).rejects.toThrow(TypeError);
  });
}

function describeRequestMany(setup: BusSetup): void {
  it("collects every reply within the wait", async () => {
    const { bus } = await setup();
    for (const n of [1, 2, 3]) {
      bus.subscribe("who", ({ reply }) => bus.publish(reply!, Uint8Array.of(n)));
    }
    const answers = await bus.requestMany("who", NOTHING, { waitMs: 1_000 });
    expect(answers.map((answer) => answer.payload[0]).sort((a, b) => a! - b!)).toEqual([1, 2, 3]);
  });

  it("is empty immediately without responders", async () => {
    const { bus } = await setup();
    expect(await bus.requestMany("nobody.here", NOTHING, { waitMs: 600_000 })).toEqual([]);
  });
}
