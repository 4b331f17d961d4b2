import type { Bus, BusState } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { rejection, thrown } from "./expect-error.js";
import { NatsFixture } from "./nats-fixture.js";
import { NATS_SERVERS } from "./nats-server.js";

const NOTHING = new Uint8Array();

const fixture = new NatsFixture();
afterEach(() => fixture.close());

function reached(bus: Bus, wanted: BusState): Promise<void> {
  return new Promise((resolve) => {
    const stop = bus.onState((state) => {
      if (state !== wanted) return;
      stop();
      resolve();
    });
  });
}

/** Opens a bus that answers its own requests to `echo`, on a server that can be killed and restarted. */
async function echoing(binary: string) {
  const configFile = await fixture.file("nats.conf", "max_payload: 2048");
  let server = await fixture.launch({ binary, configFile });
  const { port, url } = server;
  const { bus, logger } = await fixture.connect({ servers: url });
  bus.subscribe("echo", ({ reply, payload }) => bus.publish(reply!, payload), { queue: "g" });
  const kill = async () => {
    const lost = reached(bus, "disconnected");
    await server.kill();
    await lost;
  };
  const restart = async () => {
    server = await fixture.launch({ binary, configFile, port });
  };
  return { bus, logger, kill, restart };
}

describe.each(NATS_SERVERS)("reconnecting to %s", (binary) => {
  it("restores subscriptions and requests after each kill -9", async () => {
    const { bus, logger, kill, restart } = await echoing(binary);
    for (const round of [1, 2]) {
      await kill();
      await restart();
      const answer = await bus.request("echo", Uint8Array.of(round), { timeoutMs: 20_000 });
      expect([...answer.payload]).toEqual([round]);
      expect(bus.state).toBe("connected");
    }
    expect(logger.messages("warn")).toEqual(Array(2).fill("disconnected from NATS"));
    expect(logger.messages("info")).toEqual(Array(2).fill("reconnected to NATS"));
    expect(logger.messages("error")).toEqual([]);
  });

  it("fails requests in flight immediately", async () => {
    const { bus, kill } = await echoing(binary);
    bus.subscribe("silent", () => {});
    const failed = [
      rejection(bus.request("silent", NOTHING, { timeoutMs: 600_000 }), "unavailable"),
      rejection(bus.requestMany("silent", NOTHING, { waitMs: 600_000 }), "unavailable"),
    ];
    await bus.flush();
    await kill();
    for (const error of await Promise.all(failed)) expect(error.detail).toEqual({ reason: "disconnected" });
  });

  it("sends a new request after the reconnect, or fails after its timeout", async () => {
    const { bus, kill, restart } = await echoing(binary);
    await kill();
    const early = await rejection(bus.request("echo", NOTHING, { timeoutMs: 30 }), "unavailable");
    expect(early.detail).toEqual({ reason: "disconnected" });
    const waiting = bus.request("echo", Uint8Array.of(1), { timeoutMs: 20_000 });
    await restart();
    expect([...(await waiting).payload]).toEqual([1]);
  });

  it("rejects publish while disconnected, but keeps its limit and accepts subscriptions", async () => {
    const { bus, kill, restart } = await echoing(binary);
    await kill();
    await rejection(bus.request("echo", NOTHING, { timeoutMs: 1_000 }), "unavailable");
    expect(bus.maxPayloadBytes).toBe(2048);
    expect(thrown(() => bus.publish("a", NOTHING), "unavailable").detail).toEqual({ reason: "disconnected" });
    expect((await rejection(bus.flush(), "unavailable")).detail).toEqual({ reason: "disconnected" });
    bus.subscribe("new", ({ reply }) => bus.publish(reply!, Uint8Array.of(3)));
    await restart();
    const answer = await bus.request("new", NOTHING, { timeoutMs: 20_000 });
    expect([...answer.payload]).toEqual([3]);
  });
});

describe.each(NATS_SERVERS)("giving up on %s", (binary) => {
  it("is closed permanently by a server that refuses it twice", async () => {
    const server = await fixture.launch({ binary });
    const { bus, logger } = await fixture.connect({ servers: server.url });
    const closed = reached(bus, "closed");
    await server.kill();
    const configFile = await fixture.file("nats.conf", "authorization { token: other }");
    await fixture.launch({ binary, configFile, port: server.port });
    await closed;
    expect(logger.messages("error").at(-1)).toBe("NATS connection closed");
  });

  it("drains and closes without a server", async () => {
    const { bus, kill, restart } = await echoing(binary);
    const subscription = bus.subscribe("gone", () => {});
    await kill();
    await subscription.drain();
    await restart();
    const error = await rejection(bus.request("gone", NOTHING, { timeoutMs: 20_000 }), "unavailable");
    expect(error.detail.reason).toBe("no_responders");
    await kill();
    await bus.close();
    expect(bus.state).toBe("closed");
  });
});
