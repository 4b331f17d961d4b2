import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { FakeClock } from "../../host/test/fake-clock.js";
import { Gateway } from "../src/index.js";
import { InspectedGateway } from "./inspected-gateway.js";

const fixture = new InspectedGateway();
const nats = new NatsFixture();
beforeAll(() => fixture.open());
afterAll(async () => {
  await nats.close();
  await fixture.stop();
});

/** Collects events until the reader is closed. */
async function read(from: string, query: string) {
  const ended = new AbortController();
  const response = await fetch(`${from}/inspector/events?${query}`, { signal: ended.signal });
  let text = "";
  const pieces = response.body!.pipeThrough(new TextDecoderStream());
  async function* events(): AsyncGenerator<Record<string, unknown>> {
    for await (const piece of pieces) {
      text += piece;
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks)
        if (block.startsWith("data: ")) yield JSON.parse(block.slice("data: ".length));
    }
  }
  const all = events();
  return { response, next: async () => (await all.next()).value, close: () => ended.abort() };
}

describe("the inspector's events", () => {
  it("name the action and the entry, and never contain the content", async () => {
    const { response, next, close } = await read(fixture.url, "tenant=default&agent=alice");
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    await fixture.alice.store({ key: "k", content: "hidden from events", tier: "episodic", tags: ["t"] });
    const event = await next();
    expect(event).toMatchObject({
      action: "stored",
      tier: "episodic",
      key: { name: "k" },
      tags: ["t"],
      author: "alice",
    });
    expect(JSON.stringify(event)).not.toContain("hidden");
    close();
  });

  it("come from the agent and the shared tier, or from all agents", async () => {
    const bob = fixture.alice.forAgent("bob");
    const [own, all] = [
      await read(fixture.url, "tenant=default&agent=alice"),
      await read(fixture.url, "tenant=default"),
    ];
    await bob.store({ key: "b1", content: 1, tier: "episodic" });
    await bob.store({ key: "b2", content: 2, tier: "semantic" });
    expect(await own.next()).toMatchObject({ key: { name: "b2" } });
    expect(await all.next()).toMatchObject({ key: { name: "b1" } });
    expect(await all.next()).toMatchObject({ key: { name: "b2" } });
    own.close();
    all.close();
  });

  it("include a heartbeat every 15 seconds", async () => {
    const clock = new FakeClock();
    const { url: timed } = await fixture.gateway({}, clock);
    const response = await fetch(`${timed}/inspector/events?tenant=default`);
    const pieces = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await pieces.read()).value).toBe(": \n\n");
    await clock.advance(15_000);
    expect((await pieces.read()).value).toBe(": \n\n");
    await pieces.cancel();
  });

  it("are sent to at most 100 readers", async () => {
    const { url: own } = await fixture.gateway();
    const readers = [];
    for (let n = 0; n < 100; n++) readers.push(await read(own, "tenant=default"));
    expect(readers.every(({ response }) => response.status === 200)).toBe(true);
    expect((await fetch(`${own}/inspector/events?tenant=default`)).status).toBe(429);
    for (const { close } of readers) close();
  });

  it("are not sent to a slow reader, who is disconnected", async () => {
    const socket = connect(Number(new URL(fixture.url).port), "127.0.0.1");
    socket.write("GET /inspector/events?tenant=default&agent=alice HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await once(socket, "data");
    socket.pause();
    let isClosed = false;
    const closed = once(
      socket.on("error", () => {}),
      "close",
    ).then(() => {
      isClosed = true;
    });
    const tags = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(200, "t"));
    // The kernel buffers some megabytes.
    for (let round = 0; round < 40 && !isClosed; round++) {
      await fixture.alice.store(
        Array.from({ length: 25 }, (_, n) => ({ key: `${round} ${n}`, content: 1, tags })),
      );
    }
    socket.resume();
    await closed;
    expect((await read(fixture.url, "tenant=default&agent=alice")).response.status).toBe(200);
  });

  it("end when NATS reconnects, so that the page lists again", async () => {
    const first = await nats.launch({ binary: NATS_SERVER });
    const { bus } = await nats.connect({ servers: first.url });
    const gateway = new Gateway({ bus, sessions: await nats.folder() }, { port: 0 });
    const own = await gateway.start();
    nats.onClose(() => gateway.stop());
    const { next } = await read(own, "tenant=default&agent=alice");
    const isBack = new Promise((resolve) =>
      bus.onState((state) => state === "connected" && resolve(undefined)),
    );
    await first.kill();
    await nats.launch({ binary: NATS_SERVER, port: first.port });
    await isBack;
    expect(await next()).toBeUndefined();
  });

  it("are rejected if NATS does not permit the subscription", async () => {
    const users =
      '[{ user: gateway, password: g, permissions: { publish: ">", subscribe: ["_INBOX.>", "membus-gateway.>"] } }]';
    const server = await nats.launchConfigured(NATS_SERVER, `authorization { users: ${users} }`);
    const { bus } = await nats.connect({ servers: server.url, user: "gateway", pass: "g" });
    const gateway = new Gateway({ bus, sessions: await nats.folder() }, { port: 0 });
    const own = await gateway.start();
    nats.onClose(() => gateway.stop());
    const response = await fetch(`${own}/inspector/events?tenant=default`);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: "unauthorized" } });
  });
});
