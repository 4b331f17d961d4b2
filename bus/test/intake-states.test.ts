import { systemClock } from "@membus/protocol";
import type { BusMessage, BusState } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { ConnectionState } from "../src/connection-state.js";
import { IntakeThread } from "../src/nats/intake/intake-thread.js";
import { NATS_BUS_DEFAULTS } from "../src/nats/nats-options.js";
import { HandlerTracker } from "../src/subscriptions.js";
import { freePort } from "./free-port.js";
import { NatsFixture } from "./nats-fixture.js";
import { NATS_SERVER } from "./nats-server.js";
import { RecordingLogger } from "./recording-logger.js";

const fixture = new NatsFixture();
afterEach(() => fixture.close());

/** A thread with a subscription, beside another connection with this state. */
async function start(initial: BusState) {
  const port = await freePort();
  const server = await fixture.launch({ binary: NATS_SERVER, port });
  const dependencies = { clock: systemClock, logger: new RecordingLogger() };
  const state = new ConnectionState(initial, dependencies);
  const options = { ...NATS_BUS_DEFAULTS, servers: server.url };
  const thread = new IntakeThread(options, 2, state, dependencies, () => {});
  fixture.onClose(() => thread.close(1_000));
  const received: string[] = [];
  const onMessage = ({ payload }: BusMessage) => void received.push(Buffer.from(payload).toString());
  const handlers = new HandlerTracker("in.*", onMessage, dependencies.logger);
  const intake = { senderTokens: 2, onRefused: () => {}, onDropped: () => {} };
  const subscription = thread.subscribe("in.*", handlers, intake);
  await thread.flush();
  const agent = (await fixture.connect({ servers: server.url })).bus;
  return { server, state, thread, received, subscription, agent };
}

/** Expects that a message is delivered once the connection for replies and events is up. */
async function expectHeld({ state, thread, received, agent }: Awaited<ReturnType<typeof start>>) {
  agent.publish("in.a", Buffer.from("early"));
  await agent.flush();
  // The thread sends a message in the turn in which it answers the first flush.
  for (let turn = 0; turn < 2; turn++) await thread.flush();
  expect(received).toEqual([]);
  state.set("connected");
  expect(received).toEqual(["early"]);
}

describe("an intake thread", () => {
  it("delivers nothing while the connection for replies and events is down", async () => {
    await expectHeld(await start("disconnected"));
  });

  it("drains without the connection for replies and events", async () => {
    const { received, subscription, agent } = await start("disconnected");
    agent.publish("in.a", Buffer.from("early"));
    await agent.flush();
    await subscription.drain();
    expect(received).toEqual(["early"]);
  });

  it("delivers nothing without that connection after another subscription was drained", async () => {
    const started = await start("disconnected");
    const ignored = new HandlerTracker("out", () => {}, new RecordingLogger());
    await started.thread
      .subscribe("out", ignored, { senderTokens: 2, onRefused: () => {}, onDropped: () => {} })
      .drain();
    await expectHeld(started);
  });

  it("subscribes again after only its connection was lost", async () => {
    const { server, thread, received, agent } = await start("connected");
    await server.kill();
    await fixture.launch({ binary: NATS_SERVER, port: server.port });
    await expect.poll(() => agent.state).toBe("connected");
    await expect.poll(() => thread.flush().then(() => "subscribed", String)).toBe("subscribed");
    agent.publish("in.a", Buffer.from("again"));
    await expect.poll(() => received).toEqual(["again"]);
  });
});
