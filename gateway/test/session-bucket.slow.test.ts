import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { A2eClient } from "./a2e-client.js";
import { GatewayFixture } from "./gateway-fixture.js";

const BUCKET = "membus_sessions";
const fixture = new GatewayFixture({ bucket: BUCKET });
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

async function greeted(url: string): Promise<A2eClient> {
  const client = await A2eClient.create(url);
  await client.openStream(url);
  await client.handshake(url);
  return client;
}

describe("a session in a bucket", () => {
  it("outlives its gateway", async () => {
    const first = await fixture.gateway();
    const client = await greeted(first.url);
    await first.gateway.stop();
    await client.streamEnded();
    const { url } = await fixture.gateway();
    await client.openStream(url);
    expect(await client.ask(url, { type: "memory/init/req", namespace: "n" })).toMatchObject({
      success: true,
    });
  });

  it("outlives the NATS server, and works as soon as it is back", async () => {
    const { url } = await fixture.gateway();
    const client = await greeted(url);
    await fixture.killServer();
    expect((await client.post(url, '{"type":"ping","id":"meanwhile"}')).status).toBe(200);
    expect((await fetch(`${url}/session`, { method: "POST" })).status).toBe(503);
    await fixture.startServer();
    const ping = () => client.post(url, '{"type":"ping","id":"after"}');
    await expect.poll(async () => (await ping()).status).toBe(200);
    expect(await client.reply("after")).toMatchObject({ type: "pong" });
  });

  it("ends for all gateways, and is no longer counted", async () => {
    const [{ url }, { url: other, bus }] = [await fixture.gateway(), await fixture.gateway()];
    const bucket = await bus.openBucket({ name: BUCKET, ttlS: 86_400 });
    const before = await bucket.count();
    const client = await greeted(url);
    expect((await client.post(other, '{"type":"ping","id":"p"}')).status).toBe(200);
    expect(await bucket.count()).toBe(before + 1);
    await client.post(url, '{"type":"shutdown","id":"s"}');
    await client.streamEnded();
    await expect.poll(async () => (await client.post(other, "{}")).status).toBe(404);
    expect(await bucket.count()).toBe(before);
  });
});
