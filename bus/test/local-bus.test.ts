import { systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { createLocalBus, type LocalBus, type LocalBusOptions } from "../src/index.js";
import { describeBusContract } from "./bus-contract.js";
import { RecordingLogger } from "./recording-logger.js";

const opened: LocalBus[] = [];

function open(options: LocalBusOptions = {}) {
  const logger = new RecordingLogger();
  const bus = createLocalBus(options, { logger, clock: systemClock });
  opened.push(bus);
  return { bus, logger };
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

describeBusContract("local bus", async (settings) => open(settings));

describe("local bus only", () => {
  it("needs neither a logger nor a clock", async () => {
    const bus = createLocalBus({});
    opened.push(bus);
    bus.subscribe("echo", ({ reply, payload }) => bus.publish(reply!, payload));
    const { payload } = await bus.request("echo", Uint8Array.of(7), { timeoutMs: 10_000 });
    expect([...payload]).toEqual([7]);
  });

  it("copies the payload when it is published", async () => {
    const { bus } = open();
    const arrived: Uint8Array[] = [];
    bus.subscribe("a", ({ payload }) => void arrived.push(payload));
    const payload = Buffer.from([1, 2]);
    bus.publish("a", payload);
    payload[0] = 9;
    await bus.flush();
    expect(arrived).toEqual([Uint8Array.of(1, 2)]);
  });

  it("alternates between members of a queue group", async () => {
    const { bus } = open();
    const turns: string[] = [];
    for (const member of ["a", "b", "c"]) bus.subscribe("q", () => void turns.push(member), { queue: "g" });
    for (let n = 0; n < 6; n++) bus.publish("q", Uint8Array.of(n));
    await bus.flush();
    expect(turns.join("")).toBe("abcabc");
  });

  it("drops and counts messages over the limit of a subscription", async () => {
    const { bus, logger } = open({ pendingMessages: 2 });
    const arrived: number[] = [];
    bus.subscribe("a", ({ payload }) => void arrived.push(payload[0]!));
    for (let burst = 0; burst < 2; burst++) {
      for (let n = 0; n < 5; n++) bus.publish("a", Uint8Array.of(n));
      await bus.flush();
    }
    expect(arrived).toEqual([0, 1, 0, 1]);
    expect(bus.droppedMessages).toBe(6);
    const line = "dropping messages: subscription is too slow";
    expect(logger.messages("error")).toEqual([line, line]);
  });

  it("limits queued bytes too", async () => {
    const { bus } = open({ pendingBytes: 10 });
    const sizes: number[] = [];
    bus.subscribe("a", ({ payload }) => void sizes.push(payload.length));
    for (const size of [6, 6, 4]) bus.publish("a", new Uint8Array(size));
    await bus.flush();
    expect(sizes).toEqual([6, 4]);
    expect(bus.droppedMessages).toBe(1);
  });

  it("reports the nearest option and rejects values out of range", () => {
    expect(() => open({ maxPayloadByte: 1 } as LocalBusOptions)).toThrow(/did you mean `maxPayloadBytes`/);
    expect(() => open({ maxPayloadBytes: 0 })).toThrow(TypeError);
    expect(() => open({ inboxPrefix: "a.*" })).toThrow(TypeError);
  });
});
