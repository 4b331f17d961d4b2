import type { BusMessage } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "./expect-error.js";
import { NatsFixture } from "./nats-fixture.js";
import { NATS_SERVERS } from "./nats-server.js";

const CONFIG = `
authorization { users: [
  { user: host, password: h, permissions: { subscribe: [ "in.>" ], publish: [ "none" ], allow_responses: true } }
  { user: agent, password: a }
] }`;

const fixture = new NatsFixture();
afterEach(() => fixture.close());

/** Intake of a test, with the refused messages. */
function intakeOf() {
  const refused: { readonly message: BusMessage; readonly bytes: number }[] = [];
  const counts = { dropped: 0 };
  const intake = {
    senderTokens: 2,
    onRefused: (message: BusMessage, bytes: number) => void refused.push({ message, bytes }),
    onDropped: (count: number) => {
      counts.dropped += count;
    },
  };
  return { intake, refused, counts };
}

describe.each(NATS_SERVERS)("an intake thread with %s", (binary) => {
  async function start() {
    const { url } = await fixture.launchConfigured(binary, CONFIG);
    const host = await fixture.connect({ servers: url, user: "host", pass: "h", intakeThread: true });
    const agent = await fixture.connect({ servers: url, user: "agent", pass: "a" });
    return { ...host, agent: agent.bus };
  }

  it("delivers messages with their headers, and answers on their connection", async () => {
    const { bus, agent } = await start();
    const { intake } = intakeOf();
    bus.subscribe("in.*.x", ({ respond, payload, headers }) => respond!(payload, { found: headers.name! }), {
      queue: "g",
      intake,
    });
    await bus.flush();
    const payload = Buffer.from("question");
    const answer = await agent.request("in.a.x", payload, { timeoutMs: 60_000, headers: { name: "value" } });
    expect([Buffer.from(answer.payload).toString(), answer.headers.found]).toEqual(["question", "value"]);
  });

  it("keeps the order of a sender, and delivers everything before `drain` resolves", async () => {
    const { bus, agent } = await start();
    const { intake, refused } = intakeOf();
    const received: string[] = [];
    const subscription = bus.subscribe(
      "in.*.x",
      (m) => void received.push(Buffer.from(m.payload).toString()),
      {
        intake,
      },
    );
    await bus.flush();
    const sent = Array.from({ length: 500 }, (_, at) => `${at}`);
    for (const text of sent) agent.publish("in.a.x", Buffer.from(text));
    await agent.flush();
    await subscription.drain();
    expect(received).toEqual(sent);
    expect([refused, subscription.isClosed]).toEqual([[], true]);
  });

  it("reports every message of a flood: received, refused or dropped", async () => {
    const { bus, agent } = await start();
    const { intake, refused, counts } = intakeOf();
    let received = 0;
    const subscription = bus.subscribe("in.*.x", () => void received++, { intake });
    await bus.flush();
    const payload = Buffer.alloc(2_000);
    for (let at = 0; at < 20_000; at++) agent.publish("in.flood.x", payload);
    await agent.flush();
    await subscription.drain();
    expect(received + refused.length + counts.dropped).toBe(20_000);
    for (const { message, bytes } of refused) expect([message.payload.length, bytes]).toEqual([1_024, 2_000]);
  });

  it("rejects the next `flush` if the server refuses a subscription", async () => {
    const { bus } = await start();
    bus.subscribe("secret.*", () => {}, intakeOf());
    await rejection(bus.flush(), "unauthorized");
    await bus.flush();
  });

  it("ends with its bus", async () => {
    const { bus, agent } = await start();
    bus.subscribe("in.*.x", () => {}, intakeOf());
    await bus.flush();
    await bus.close();
    await rejection(agent.request("in.a.x", Buffer.from("x"), { timeoutMs: 60_000 }), "unavailable");
  });
});
