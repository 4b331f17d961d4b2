import { once } from "node:events";
import { MemoryClient } from "@membus/agent-client";
import { keyHash } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeClock } from "../../host/test/fake-clock.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { callOf, figuresOf, JSON_HEADERS, postOf, socketTo } from "./raw-mcp.js";

/** Timeout for a busy machine. */
const PATIENT = { timeout: 60_000 };
const fixture = new GatewayFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

describe("the MCP endpoint", () => {
  it("limits the messages of a batch", async () => {
    const { url } = await fixture.gateway();
    const post = (count: number) => {
      const messages = Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
      return fetch(`${url}/mcp`, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(messages) });
    };
    const text = await (await post(8)).text();
    expect(text.match(/"result":/g)).toHaveLength(8);
    const refused = await post(9);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        jsonrpc: "2.0",
        error: { code: -32600, message: "Invalid Request: a batch has at most 8 messages" },
        id: null,
      },
    ]);
    expect((await figuresOf(url)).get('membus_gateway_refused_total{cause="mcp_requests"}')).toBe(1);
  });

  it("does not log rejected calls as warnings", async () => {
    const { url } = await fixture.gateway();
    const body = JSON.stringify(callOf(1, "memory_retrieve", { query: "\ud800" }));
    const response = await fetch(`${url}/mcp`, { method: "POST", headers: JSON_HEADERS, body });
    expect(await response.text()).toContain('"isError":true');
    expect(fixture.logger.messages("debug")).toContain("rejected a call");
    expect(fixture.logger.messages("warn")).not.toContain("rejected a call");
  });

  it("measures unread answers, and disconnects their client after a minute", async () => {
    const clock = new FakeClock();
    const { url, gateway } = await fixture.gateway({}, clock);
    const memory = await MemoryClient.connect({ bus: await fixture.bus(), tenant: "default", agent: "mcp" });
    await memory.remember("quotes", '"'.repeat(120_000), { tier: "episodic" });
    await memory.close();
    const uri = `membus://episodic/${keyHash("quotes")}`;
    const waiting = async () => (await figuresOf(url)).get('membus_gateway_waiting_bytes{kind="answers"}')!;
    const read = (n: number) => ({ jsonrpc: "2.0", id: n, method: "resources/read", params: { uri } });
    const batch = JSON.stringify(Array.from({ length: 8 }, (_, n) => read(n)));
    const socket = socketTo(url).pause();
    // More than the kernel buffers.
    socket.write(postOf(batch).repeat(6));
    await expect.poll(waiting, PATIENT).toBeGreaterThan(10_000_000);
    await expect
      .poll(async () => {
        await clock.advance(60_000);
        return waiting();
      }, PATIENT)
      .toBe(0);
    const cause = 'membus_gateway_refused_total{cause="slow_reader"}';
    expect((await figuresOf(url)).get(cause)).toBeGreaterThan(0);
    socket.resume();
    await once(socket, "close");
    await clock.advanceUntil(gateway.stop());
  });

  it("waits at shutdown no longer than the drain timeout for a call that claims to be a stream", async () => {
    const { url, gateway } = await fixture.gateway({ prefix: "nobody", drainTimeoutMs: 1 });
    const body = JSON.stringify(callOf(1, "memory_retrieve", {}));
    const socket = socketTo(url).setEncoding("utf8");
    socket.write(postOf(body, { "mcp-method": "subscriptions/listen" }));
    let came = "";
    socket.on("data", (text) => {
      came += text;
    });
    const closed = once(socket, "close");
    await once(socket, "data");
    await gateway.stop();
    await closed;
    expect(came).toMatch(/^HTTP\/1.1 200 /);
    expect(came).not.toContain("isError");
  });
});
