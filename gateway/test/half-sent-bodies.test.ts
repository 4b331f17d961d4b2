import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { A2eClient } from "./a2e-client.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { figuresOf } from "./raw-mcp.js";

const fixture = new GatewayFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const KIB = 1_024;

/** Sends the head of a request and none of its body. */
function halfSend(url: string, path: string, headers: Readonly<Record<string, string | number>>): Socket {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join("")}\r\n`);
  return socket;
}

async function reservedBytes(url: string): Promise<number | undefined> {
  return (await figuresOf(url)).get('membus_gateway_waiting_bytes{kind="bodies"}');
}

it("messages before a handshake take a bounded part of the memory", async () => {
  const { url } = await fixture.gateway();
  const silent = await A2eClient.create(url);
  const send = { "x-session-id": silent.id, "content-length": 1_024 * KIB };
  const sockets = Array.from({ length: 40 }, () => halfSend(url, "/send", send));
  await expect.poll(async () => (await figuresOf(url)).get(REFUSED)).toBe(24);
  expect(await reservedBytes(url)).toBe(16 * 64 * KIB);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => reservedBytes(url)).toBe(0);
  await silent.openStream(url);
  expect(await silent.handshake(url)).toMatchObject({ ok: true });
});

const REFUSED = 'membus_gateway_refused_total{cause="message_bodies"}';

it("messages of one agent take a bounded part of the memory, and other agents go on", async () => {
  const { url } = await fixture.gateway();
  const [greedy, other] = [await A2eClient.create(url), await A2eClient.create(url)];
  for (const client of [greedy, other]) await client.openStream(url);
  await greedy.handshake(url, { agent_id: "greedy" });
  await other.handshake(url, { agent_id: "other" });
  const send = { "x-session-id": greedy.id, "content-length": 1_024 * KIB };
  const sockets = Array.from({ length: 20 }, () => halfSend(url, "/send", send));
  await expect.poll(async () => (await figuresOf(url)).get(REFUSED)).toBe(4);
  expect(await reservedBytes(url)).toBe(16 * 1_024 * KIB);
  expect((await greedy.post(url, '{"type":"ping","id":"p"}')).status).toBe(503);
  expect(await other.ask(url, { type: "ping" })).toMatchObject({ type: "pong" });
  for (const socket of sockets) socket.destroy();
});

it("a message before the handshake has at most 64 KiB", async () => {
  const { url } = await fixture.gateway();
  const client = await A2eClient.create(url);
  await client.openStream(url);
  const text = "x".repeat(64 * KIB);
  expect(await client.ask(url, { type: "ping", id: "long", text })).toMatchObject({
    type: "error",
    code: "too_large",
  });
});

it("logins that are never sent completely do not lock the inspector", async () => {
  const { url } = await fixture.gateway();
  const head = { "content-type": "application/json", "content-length": 100 };
  const sockets = Array.from({ length: 70 }, () => halfSend(url, "/inspector/session", head));
  await expect.poll(async () => (await connectionsOf(sockets)).size).toBe(1);
  expect((await fetch(`${url}/inspector/session`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

/** Resolves when the heads of all requests have left this process. */
async function connectionsOf(sockets: readonly Socket[]): Promise<Set<number>> {
  return new Set(sockets.map(({ writableLength, connecting }) => writableLength + Number(connecting)));
}
