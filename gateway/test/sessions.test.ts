import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../host/test/fake-clock.js";
import { SessionFiles } from "../src/a2e/session-files.js";
import { A2eClient } from "./a2e-client.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const entry = (id: string, content: unknown, tier = "episodic") => ({
  key: { id },
  content,
  tier,
  tags: [id],
});

describe("a reply", () => {
  it("delivers replies to a stream that is opened late", async () => {
    const { url } = await fixture.gateway();
    const client = await A2eClient.create(url);
    await client.post(url, JSON.stringify({ type: "handshake/req", id: "h", agent_id: "alice" }));
    await client.post(url, JSON.stringify({ type: "ping", id: "p" }));
    await client.openStream(url);
    expect(await client.reply("h")).toMatchObject({ ok: true });
    expect(await client.reply("p")).toMatchObject({ type: "pong" });
  });

  it("delivers replies again after a stream that broke", async () => {
    const { url } = await fixture.gateway();
    const client = await A2eClient.create(url);
    await client.openStream(url);
    await client.handshake(url);
    client.breakStream();
    await client.post(url, JSON.stringify({ type: "ping", id: "meanwhile" }));
    await client.openStream(url);
    expect(await client.reply("meanwhile")).toMatchObject({ type: "pong" });
    expect(client.received.filter(({ type }) => type === "handshake/resp").length).toBeGreaterThanOrEqual(2);
  });

  it("delivers replies of any size to a stream at another gateway", async () => {
    const [{ url: sending }, { url: streaming }] = [await fixture.gateway(), await fixture.gateway()];
    const client = await A2eClient.create(sending);
    await client.post(sending, JSON.stringify({ type: "ping", id: "before" }));
    await client.openStream(streaming);
    expect(await client.reply("before")).toMatchObject({ type: "pong" });
    await client.handshake(sending);
    const memory_id = await client.init(sending);
    for (let n = 0; n < 10; n++) {
      const entries = [{ ...entry(`large${n}`, "x".repeat(160_000)), tags: ["large"] }];
      await client.ask(n % 2 === 0 ? sending : streaming, { type: "memory/store/req", memory_id, entries });
    }
    const found = await client.ask(sending, { type: "memory/retrieve/req", memory_id, tags: ["large"] });
    expect((found.entries as { content: string }[]).map(({ content }) => content.length)).toEqual(
      Array(10).fill(160_000),
    );
    await client.openStream(sending);
    expect(await client.ask(streaming, { type: "ping" })).toMatchObject({ type: "pong" });
  });
});

describe("a session", () => {
  it("outlives its gateway", async () => {
    const first = await fixture.gateway();
    const client = await A2eClient.create(first.url);
    await client.openStream(first.url);
    await client.handshake(first.url, { agent_id: "carol" });
    const memory_id = await client.init(first.url, "kept");
    await client.ask(first.url, { type: "memory/store/req", memory_id, entries: [entry("a", 1, "working")] });
    await first.gateway.stop();
    await client.streamEnded();
    const { url } = await fixture.gateway();
    await client.openStream(url);
    const found = await client.ask(url, { type: "memory/retrieve/req", memory_id, keys: [{ id: "a" }] });
    expect(found.entries).toMatchObject([{ content: 1 }]);
  });

  it("ends at all gateways", async () => {
    const [{ url }, { url: other }] = [await fixture.gateway(), await fixture.gateway()];
    const client = await A2eClient.create(url);
    await client.openStream(url);
    await client.handshake(url);
    expect((await client.post(other, '{"type":"ping","id":"p"}')).status).toBe(200);
    await client.post(url, '{"type":"shutdown","id":"s"}');
    await client.streamEnded();
    expect((await client.post(url, "{}")).status).toBe(404);
    await expect.poll(async () => (await client.post(other, "{}")).status).toBe(404);
  });

  it("ends with its shutdown, and forgets its working memory", async () => {
    const { url } = await fixture.gateway();
    const client = await A2eClient.create(url);
    await client.openStream(url);
    await client.handshake(url);
    const memory_id = await client.init(url, "scratch");
    await client.ask(url, { type: "memory/store/req", memory_id, entries: [entry("gone", 1, "working")] });
    await client.post(url, JSON.stringify({ type: "shutdown", id: "s", timeout: 10 }));
    await client.streamEnded();
    expect(await client.openStream(url)).toBe(404);
    expect((await client.post(url, "{}")).status).toBe(404);
  });

  it("stays with its agent: another handshake and its memory ids are rejected", async () => {
    const { url } = await fixture.gateway();
    const [alice, bob] = [await A2eClient.create(url), await A2eClient.create(url)];
    for (const client of [alice, bob]) await client.openStream(url);
    await alice.handshake(url);
    await bob.handshake(url, { agent_id: "bob" });
    const memory_id = await alice.init(url);
    await alice.ask(url, { type: "memory/store/req", memory_id, entries: [entry("secret", 1)] });
    expect(await bob.ask(url, { type: "memory/retrieve/req", memory_id, tags: ["secret"] })).toMatchObject({
      type: "error",
      code: "memory_not_found",
    });
    expect(await bob.handshake(url, { agent_id: "alice" })).toMatchObject({
      ok: false,
      reason: "auth_failed",
    });
    const own = await bob.init(url);
    expect(
      await bob.ask(url, { type: "memory/retrieve/req", memory_id: own, tags: ["secret"] }),
    ).toMatchObject({
      entries: [],
    });
  });

  it("is rejected above the limit", async () => {
    const { url } = await fixture.gateway({ sessionCountMax: 1 });
    expect((await fetch(`${url}/session`, { method: "POST" })).status).toBe(503);
  });
});

describe("sessions without a handshake", () => {
  it("take no place of others, however many one address creates", async () => {
    const flooded = new GatewayFixture();
    await flooded.start();
    try {
      const first = await flooded.gateway({ sessionCountMax: 250 });
      const statuses: number[] = [];
      for (let n = 0; n < 300; n++) {
        statuses.push((await fetch(`${first.url}/session`, { method: "POST" })).status);
      }
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(await readdir(flooded.directory)).toHaveLength(100);
      await first.gateway.stop();
      const { url } = await flooded.gateway({ sessionCountMax: 250 });
      const client = await A2eClient.create(url);
      await client.openStream(url);
      expect(await client.handshake(url)).toMatchObject({ ok: true });
    } finally {
      await flooded.stop();
    }
  });

  it("end after a minute, and others stay", async () => {
    const clock = new FakeClock();
    const { url } = await fixture.gateway({}, clock);
    const [silent, greeted] = [await A2eClient.create(url), await A2eClient.create(url)];
    for (const client of [silent, greeted]) await client.openStream(url);
    await greeted.handshake(url);
    await clock.advance(59_000);
    expect((await silent.post(url, '{"type":"ping","id":"p"}')).status).toBe(200);
    await clock.advance(2_000);
    expect((await silent.post(url, '{"type":"ping","id":"p"}')).status).toBe(404);
    expect((await greeted.post(url, '{"type":"ping","id":"p"}')).status).toBe(200);
    await clock.advance(5_000);
    await silent.streamEnded();
  });

  it("leave the others, because ages are measured by the gateway's clock", async () => {
    const clock = new FakeClock();
    const files = new SessionFiles(join(fixture.directory, "..", "dated"), 3_600, clock);
    await files.open();
    await files.write("a".repeat(32), { identity: { tenant: "default", agent: "alice" } });
    await files.write("b".repeat(32), { createdAt: clock.now() });
    expect(await files.sweep()).toBe(2);
    await clock.advance(61_000);
    expect(await files.sweep()).toBe(1);
    await clock.advance(3_600_000);
    expect(await files.sweep()).toBe(0);
  });

  it("end in the usual time if the clock was years ahead when they were used", async () => {
    const directory = join(fixture.directory, "..", "ahead");
    const ahead = new FakeClock();
    await ahead.advance(20 * 31_557_600_000);
    const written = new SessionFiles(directory, 3_600, ahead);
    await written.open();
    await written.write("a".repeat(32), { identity: { tenant: "default", agent: "alice" } });
    await written.write("b".repeat(32), { createdAt: ahead.now() });
    const clock = new FakeClock();
    const files = new SessionFiles(directory, 3_600, clock);
    expect(await files.sweep()).toBe(2);
    await clock.advance(3_601_000);
    expect(await files.sweep()).toBe(0);
  });

  it("end with their gateway", async () => {
    const clock = new FakeClock();
    const first = await fixture.gateway({}, clock);
    const client = await A2eClient.create(first.url);
    await first.gateway.stop();
    await clock.advance(61_000);
    const { url } = await fixture.gateway({}, clock);
    expect((await client.post(url, '{"type":"ping","id":"p"}')).status).toBe(404);
  });
});
