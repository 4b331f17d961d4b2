import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import type { BusSetup } from "./bus-contract.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (payload: Uint8Array) => new TextDecoder().decode(payload);

/** Returns a growing list of the messages on `pattern`. */
function collect(bus: Bus, pattern: string, queue?: string): BusMessage[] {
  const messages: BusMessage[] = [];
  const options = queue === undefined ? {} : { queue };
  bus.subscribe(pattern, (message) => void messages.push(message), options);
  return messages;
}

export function describeDelivery(setup: BusSetup): void {
  describe("delivery", () => {
    describeMessages(setup);
    describeSubjects(setup);
  });
}

function describeMessages(setup: BusSetup): void {
  it("delivers subject, payload, reply subject and headers", async () => {
    const { bus } = await setup();
    const messages = collect(bus, "a.b");
    bus.publish("a.b", bytes("tea"), {
      reply: "r.1",
      headers: { "Content-Type": "text/plain", "x-a": " 1 " },
    });
    await bus.flush();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ subject: "a.b", reply: "r.1" });
    expect(text(messages[0]!.payload)).toBe("tea");
    expect(messages[0]!.headers).toEqual({ "Content-Type": "text/plain", "x-a": "1" });
  });

  it("has no reply subject and no headers if none were sent", async () => {
    const { bus } = await setup();
    const messages = collect(bus, "a");
    bus.publish("a", new Uint8Array());
    await bus.flush();
    expect(messages[0]!.reply).toBeUndefined();
    expect(messages[0]!.headers).toEqual({});
    expect(messages[0]!.headers.constructor).toBeUndefined();
    expect(messages[0]!.payload.length).toBe(0);
  });

  it("delivers in publish order, after publish has returned", async () => {
    const { bus } = await setup();
    const messages = collect(bus, "n.*");
    for (let n = 0; n < 500; n++) bus.publish(`n.${n % 7}`, bytes(String(n)));
    expect(messages).toHaveLength(0);
    await bus.flush();
    expect(messages.map((message) => Number(text(message.payload)))).toEqual(Array.from(Array(500).keys()));
  });

  it("delivers to each subscription, and not after drain", async () => {
    const { bus } = await setup();
    const one = collect(bus, "a");
    const two: BusMessage[] = [];
    const subscription = bus.subscribe("a", (message) => void two.push(message));
    bus.publish("a", bytes("1"));
    await subscription.drain();
    bus.publish("a", bytes("2"));
    await bus.flush();
    expect([one.length, two.length]).toEqual([2, 1]);
  });
}

function describeSubjects(setup: BusSetup): void {
  it("matches * to one token and > to the rest", async () => {
    const { bus } = await setup();
    const star = collect(bus, "a.*.c");
    const rest = collect(bus, "a.>");
    for (const subject of ["a", "a.b", "a.b.c", "a.b.c.d", "b.b.c"]) bus.publish(subject, bytes(""));
    await bus.flush();
    expect(star.map((message) => message.subject)).toEqual(["a.b.c"]);
    expect(rest.map((message) => message.subject)).toEqual(["a.b", "a.b.c", "a.b.c.d"]);
  });

  it("delivers a message to one member of each queue group, in turn", async () => {
    const { bus } = await setup();
    const [one, two] = [collect(bus, "q.*", "g"), collect(bus, "q.1", "g")];
    const [other, plain] = [collect(bus, "q.1", "h"), collect(bus, "q.1")];
    for (let n = 0; n < 200; n++) bus.publish("q.1", bytes(""));
    await bus.flush();
    expect(one.length + two.length).toBe(200);
    expect(Math.min(one.length, two.length)).toBeGreaterThan(20);
    expect([other.length, plain.length]).toEqual([200, 200]);
  });

  it.each(["", "a b", "a..b", ".a", "a.", ">.a", "a.>.b"])(
    "refuses to subscribe to `%s`",
    async (subject) => {
      const { bus } = await setup();
      expect(() => bus.subscribe(subject, () => {})).toThrow(TypeError);
    },
  );

  it.each(["", "a b", "a\r\nPUB b 0"])("refuses to publish on %j", async (subject) => {
    const { bus } = await setup();
    expect(() => bus.publish(subject, bytes(""))).toThrow(TypeError);
    expect(() => bus.publish("a", bytes(""), { reply: `x ${subject}` })).toThrow(TypeError);
    await expect(bus.request(subject, bytes(""), { timeoutMs: 1000 })).rejects.toThrow(TypeError);
  });
}
