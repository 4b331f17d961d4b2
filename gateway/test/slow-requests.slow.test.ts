import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { A2eClient } from "./a2e-client.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { parseMetrics } from "./parse-metrics.js";

const fixture = new GatewayFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const COUNT = 200;

describe("unfinished requests", () => {
  // Takes about a minute, because the gateway waits 60 s for the rest of a request.
  it("are disconnected in headers and bodies, and do not block others", async () => {
    const { url } = await fixture.gateway();
    const client = await A2eClient.create(url);
    const port = Number(new URL(url).port);
    const send = `POST /send HTTP/1.1\r\nhost: localhost\r\nx-session-id: ${client.id}\r\n`;
    const halves = [`${send}x: `, `${send}content-length: 1000\r\n\r\n{"type`];
    const closed = Array.from({ length: COUNT }, (_, n) => dripping(port, halves[n % 2]!));
    await client.openStream(url);
    expect(await client.handshake(url)).toMatchObject({ ok: true });
    await Promise.all(closed);
    const figures = parseMetrics(await (await fetch(`${url}/metrics`)).text());
    expect(figures.get('membus_gateway_refused_total{cause="slow_request"}')).toBe(COUNT);
    expect(await client.ask(url, { type: "ping" })).toMatchObject({ type: "pong" });
    client.breakStream();
  });
});

/** Sends a byte per second. Resolves when the gateway has closed the connection. */
function dripping(port: number, text: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).resume();
  socket.write(text);
  const drip = setInterval(() => socket.write("y"), 1_000);
  return new Promise((resolve) =>
    socket.once("close", () => {
      clearInterval(drip);
      resolve();
    }),
  );
}
