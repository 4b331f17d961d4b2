import { describe, expect, it } from "vitest";
import type { BusSetup } from "./bus-contract.js";
import { rejection, thrown } from "./expect-error.js";

const MIB = 1024 * 1024;
const NOTHING = new Uint8Array();

export function describeFailures(setup: BusSetup): void {
  describe("failures", () => {
    describeCallbacks(setup);
    describeLimits(setup);
  });
}

function describeCallbacks(setup: BusSetup): void {
  it("continues after a callback that throws", async () => {
    const { bus, logger } = await setup();
    bus.subscribe("echo", ({ reply, payload }) => {
      if (payload[0] === 1) throw new RangeError("broken");
      bus.publish(reply!, payload);
    });
    bus.publish("echo", Uint8Array.of(1), { reply: "r" });
    const answer = await bus.request("echo", Uint8Array.of(2), { timeoutMs: 60_000 });
    expect([...answer.payload]).toEqual([2]);
    expect(logger.lines).toMatchObject([
      { level: "error", fields: { subject: "echo", err: { message: "broken" } } },
    ]);
  });

  it("continues after a callback that rejects", async () => {
    const { bus, logger } = await setup();
    const subscription = bus.subscribe("a.*", async () => Promise.reject(new RangeError("broken")));
    bus.publish("a.1", NOTHING);
    await subscription.drain();
    expect(logger.lines).toMatchObject([
      { level: "error", fields: { subject: "a.*", err: { message: "broken" } } },
    ]);
  });

  it("rejects headers that would break the message", async () => {
    const { bus } = await setup();
    for (const headers of [{ "a b": "1" }, { "a:b": "1" }, { a: "1\r\nb: 2" }]) {
      expect(() => bus.publish("a", NOTHING, { headers })).toThrow(TypeError);
    }
  });
}

function describeLimits(setup: BusSetup): void {
  it("delivers a message of exactly the limit", async () => {
    const { bus } = await setup();
    expect(bus.maxPayloadBytes).toBe(MIB);
    bus.subscribe("echo", ({ reply, payload }) => bus.publish(reply!, payload));
    const answer = await bus.request("echo", new Uint8Array(MIB), { timeoutMs: 10_000 });
    expect(answer.payload.length).toBe(MIB);
  });

  it("rejects a message over the limit before sending it", async () => {
    const { bus } = await setup();
    const payload = new Uint8Array(MIB + 1);
    const published = thrown(() => bus.publish("a", payload), "too_large");
    const requested = await rejection(bus.request("a", payload, { timeoutMs: 1_000 }), "too_large");
    for (const error of [published, requested]) {
      expect(error.detail).toEqual({ limit: "messageBytes", max: 1_048_576, got: 1_048_577 });
    }
  });

  it("counts headers with their encoded size", async () => {
    const { bus } = await setup();
    const headers = { name: "é" };
    const headerBytes = Buffer.byteLength("NATS/1.0\r\nname: é\r\n\r\n");
    const arrived: number[] = [];
    bus.subscribe("a", ({ payload }) => void arrived.push(payload.length));
    bus.publish("a", new Uint8Array(MIB - headerBytes), { headers });
    const over = new Uint8Array(MIB - headerBytes + 1);
    const error = thrown(() => bus.publish("a", over, { headers }), "too_large");
    expect(error.detail.got).toBe(1_048_577);
    await bus.flush();
    expect(arrived).toEqual([1_048_554]);
  });
}
