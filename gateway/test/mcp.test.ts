import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { MemoryClient } from "@membus/agent-client";
import { keyHash } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ConnectedClient, connectHttp, REVISIONS } from "../../integrations/mcp/test/mcp-clients.js";
import { GatewayFixture } from "./gateway-fixture.js";
import {
  figuresOf,
  type Headers,
  JSON_HEADERS,
  LISTEN,
  LISTEN_HEADERS,
  postOf,
  socketTo,
} from "./raw-mcp.js";

const fixture = new GatewayFixture();
const closings: (() => Promise<unknown>)[] = [];
beforeAll(() => fixture.start());
afterAll(async () => {
  for (const close of closings) await close();
  await fixture.stop();
});

const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function clientOf(
  url: string,
  headers: Headers = {},
  revision = REVISIONS[0]!,
): Promise<ConnectedClient> {
  const client = await connectHttp(revision, url, undefined, headers);
  closings.push(() => client.close());
  return client;
}

/** The memory on the bus. */
async function memoryOf(agent: string, namespace = "default", tenant = "default"): Promise<MemoryClient> {
  const memory = await MemoryClient.connect({ bus: await fixture.bus(), tenant, agent, namespace });
  closings.push(() => memory.close());
  return memory;
}

/** A client of revision 2026 with a stream of changes, and a promise of its end. */
async function listener(url: string, ...keys: string[]) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const received: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    received.push(params.uri);
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  closings.push(() => client.close());
  const resourceSubscriptions = keys.map((key) => `membus://episodic/${keyHash(key)}`);
  const { closed } = await client.listen({ resourceSubscriptions });
  return { received, closed };
}

/** Records the subjects of subscriptions that end from now on. */
function watchedSubscriptions(bus: Bus): { readonly drained: readonly string[] } {
  const drained: string[] = [];
  const subscribe = bus.subscribe.bind(bus);
  bus.subscribe = (subject, ...rest) => {
    const subscription = subscribe(subject, ...rest);
    const drain = subscription.drain.bind(subscription);
    return Object.assign(subscription, {
      drain: () => {
        drained.push(subject);
        return drain();
      },
    });
  };
  return { drained };
}

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
function initialize(url: string, headers: Headers = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body: INITIALIZE });
}

describe.each(REVISIONS)("an MCP client, %s", (revision) => {
  it("has the tools, resources and prompt of a memory on the bus", async () => {
    const { url } = await fixture.gateway();
    const client = await clientOf(`${url}/mcp`, { "x-membus-agent": revision }, revision);
    expect((await client.tools()).map(({ name }) => name).sort()).toEqual([
      ...["memory_forget", "memory_recall", "memory_remember", "memory_retrieve", "memory_store"],
    ]);
    await client.call("memory_store", { memories: [{ content: "Ann likes tea", key: "tea" }] });
    const retrieved = await client.call("memory_retrieve", { query: "tea" });
    expect(retrieved.structured).toMatchObject({ memories: [{ key: "tea", content: "Ann likes tea" }] });
    const [resource] = await client.resources();
    expect(resource).toMatchObject({ name: "tea", uri: `membus://episodic/${keyHash("tea")}` });
    expect(await client.read(resource!.uri)).toContain("Ann likes tea");
    expect(await client.prompt("recall", { topic: "tea" })).toContain("Ann likes tea");
    expect(await (await memoryOf(revision)).recall("tea", { tier: "episodic" })).toBe("Ann likes tea");
    expect((await client.call("memory_forget", { keys: ["tea"] })).structured).toMatchObject({
      forgotten: 1,
    });
  });

  it("is rejected with an unknown token", async () => {
    const { url } = await fixture.gateway({ tokens: [{ sha256: sha256("right"), tenant: "acme" }] });
    for (const headers of [{}, bearer("wrong")]) {
      await expect(clientOf(`${url}/mcp`, headers, revision)).rejects.toThrow();
      const response = await initialize(`${url}/mcp`, headers);
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
    const client = await clientOf(`${url}/mcp`, bearer("right"), revision);
    expect(await client.tools()).toHaveLength(5);
    expect(JSON.stringify(fixture.logger.lines)).not.toMatch(/right|wrong/);
  });
});

describe("the memory of a request", () => {
  it("is given by path and header without tokens", async () => {
    const { url } = await fixture.gateway();
    const unnamed = await clientOf(`${url}/mcp`);
    await unnamed.call("memory_remember", { key: "who", value: "nobody" });
    const zoe = await clientOf(`${url}/mcp/team/caf%C3%A9`, { "x-membus-agent": "zoë" });
    expect((await zoe.call("memory_recall", { key: "who" })).structured).toMatchObject({ found: false });
    await zoe.call("memory_remember", { key: "who", value: "zoë" });
    const tier = "episodic";
    expect(await (await memoryOf("mcp")).recall("who", { tier })).toBe("nobody");
    const memory = await memoryOf("zoë", "team/café");
    expect(await memory.recall("who", { tier })).toBe("zoë");
  });

  it("is given by the token, not by a header", async () => {
    const tokens = [
      { sha256: sha256("alice"), tenant: "acme", agent: "alice" },
      { sha256: sha256("any"), tenant: "acme" },
      { sha256: sha256("globex"), tenant: "globex" },
    ];
    const { url } = await fixture.gateway({ tokens });
    const asAlice = { "x-membus-agent": "alice" };
    const alice = await clientOf(`${url}/mcp`, { ...bearer("alice"), "x-membus-agent": "bob" });
    const fields = { key: "plan", tier: "episodic" };
    const shared = { key: "shared", tier: "semantic" };
    await alice.call("memory_remember", { ...fields, value: "secret" });
    await alice.call("memory_remember", { ...shared, value: "ours" });
    const found = async (headers: Headers, what: typeof fields) => {
      const client = await clientOf(`${url}/mcp`, headers);
      return (await client.call("memory_recall", what)).structured!.found;
    };
    expect(await found({ ...bearer("any"), ...asAlice }, fields)).toBe(true);
    expect(await found({ ...bearer("any"), "x-membus-agent": "bob" }, fields)).toBe(false);
    expect(await found({ ...bearer("any"), "x-membus-agent": "bob" }, shared)).toBe(true);
    const foreign = { ...bearer("globex"), ...asAlice };
    expect([await found(foreign, fields), await found(foreign, shared)]).toEqual([false, false]);
    const stranger = await clientOf(`${url}/mcp`, foreign);
    expect(await stranger.resources()).toEqual([]);
    expect((await stranger.call("memory_retrieve", {})).structured).toMatchObject({ memories: [] });
  });

  it.each([
    ["/mcp/", 404],
    ["/mcp/a//b", 404],
    ["/mcp/%", 404],
    ["/mcp/a%2A", 404],
    ["/mcp/1/2/3/4/5/6/7/8/9", 404],
    ["/mcpx", 404],
    ["/mcp/a?b=c", 200],
  ])("at %s: %i", async (path, status) => {
    const { url } = await fixture.gateway();
    expect((await initialize(url + path)).status).toBe(status);
  });

  it("is rejected for an invalid agent name", async () => {
    const { url } = await fixture.gateway();
    expect((await initialize(`${url}/mcp`, { "x-membus-agent": "a".repeat(1_000) })).status).toBe(400);
  });
});

describe("a gateway", () => {
  it("offers no writing tools in read-only mode", async () => {
    const { url } = await fixture.gateway({ mcpReadOnly: true });
    const client = await clientOf(`${url}/mcp`);
    const names = (await client.tools()).map(({ name }) => name).sort();
    expect(names).toEqual(["memory_recall", "memory_retrieve"]);
  });

  it("does not serve /mcp if it is switched off", async () => {
    const { url } = await fixture.gateway({ mcp: false });
    expect((await initialize(`${url}/mcp`)).status).toBe(404);
    const both = { mcp: false, mcpReadOnly: true };
    await expect(fixture.gateway(both)).rejects.toThrow("mcpReadOnly requires mcp, which is off");
  });

  it("rejects invalid messages, and goes on", async () => {
    const { url } = await fixture.gateway();
    const post = (body: string, headers: Headers = JSON_HEADERS) =>
      fetch(`${url}/mcp`, { method: "POST", headers, body }).then(({ status }) => status);
    expect(await post("no JSON")).toBe(400);
    expect(await post("[]")).toBe(400);
    expect(await post(INITIALIZE, { "content-type": "text/plain" })).toBe(415);
    expect(await post(" ".repeat(4 * 1024 * 1024 + 1))).toBe(413);
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS", "TRACE"]) {
      const [response] = await once(httpRequest(`${url}/mcp`, { method }).end(), "response");
      response.resume();
      expect([method, response.statusCode, response.headers.allow]).toEqual([method, 405, "POST"]);
    }
    expect(fixture.logger.messages("error")).toEqual([]);
    expect((await initialize(`${url}/mcp`)).status).toBe(200);
    const figures = await figuresOf(url);
    expect(figures.get('membus_gateway_refused_total{cause="mcp_request_bytes"}')).toBe(1);
    expect(figures.get('membus_gateway_requests_total{route="/mcp",status="413"}')).toBe(1);
  });

  it("limits the bytes of simultaneous bodies", async () => {
    const { url } = await fixture.gateway();
    const claimed = async () => (await figuresOf(url)).get('membus_gateway_waiting_bytes{kind="bodies"}');
    const sockets = Array.from({ length: 16 }, () => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.write("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4194304\r\n\r\n");
      return socket.on("error", () => {});
    });
    await expect.poll(claimed).toBe(64 * 1024 * 1024);
    expect((await initialize(`${url}/mcp`)).status).toBe(503);
    expect((await figuresOf(url)).get('membus_gateway_refused_total{cause="mcp_requests"}')).toBe(1);
    for (const socket of sockets) socket.destroy();
    await expect.poll(claimed).toBe(0);
    expect((await initialize(`${url}/mcp`)).status).toBe(200);
  });

  it("reads no body of a rejected request", async () => {
    const { url } = await fixture.gateway();
    for (const headers of [{}, LISTEN_HEADERS]) {
      const request = httpRequest(`${url}/mcp`, { headers: { ...headers, "content-length": "4194304" } });
      request.on("error", () => {}).flushHeaders();
      const [response] = await once(request, "response");
      expect(response.statusCode).toBe(405);
      request.destroy();
    }
  });

  it("answers open requests at shutdown", async () => {
    const { url, gateway } = await fixture.gateway();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const head = Object.entries(JSON_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${INITIALIZE.length}\r\n${head.join("")}\r\n`,
    );
    await expect
      .poll(async () => (await figuresOf(url)).get('membus_gateway_waiting_bytes{kind="bodies"}'))
      .toBe(INITIALIZE.length);
    const early = connect(Number(new URL(url).port), "127.0.0.1");
    await once(early, "connect");
    const stopped = gateway.stop();
    early.write("GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let readiness = "";
    for await (const chunk of early.setEncoding("utf8")) readiness += chunk;
    expect(readiness).toMatch(/stopping\n$/);
    socket.write(INITIALIZE);
    const [text] = await once(socket, "data");
    expect(String(text)).toMatch(/^HTTP\/1.1 200 /);
    await stopped;
  });
});

describe("a stream", () => {
  it("reports changes in its memory until the gateway stops", async () => {
    const { url, gateway } = await fixture.gateway();
    const { received, closed } = await listener(`${url}/mcp/notices`, "colour", "a", "b", "c");
    expect((await figuresOf(url)).get("membus_gateway_streams")).toBe(1);
    const tier = "episodic";
    await (await memoryOf("mcp", "elsewhere")).remember("a", 1, { tier });
    await (await memoryOf("bob", "notices")).remember("b", 1, { tier });
    await (await memoryOf("mcp", "notices", "acme")).remember("c", 1, { tier });
    const memory = await memoryOf("mcp", "notices");
    await memory.remember("shape", 1, { tier });
    await memory.remember("colour", 1, { tier });
    await expect.poll(() => received).toEqual([`membus://episodic/${keyHash("colour")}`]);
    await gateway.stop();
    expect(await closed).toBe("graceful");
    expect(received).toHaveLength(1);
  });

  it("of a client that left before it opened holds nothing", async () => {
    const { url, bus } = await fixture.gateway();
    const { drained } = watchedSubscriptions(bus);
    const flush = bus.flush.bind(bus);
    const turns = new EventEmitter();
    const [flushing, deleted] = [once(turns, "flushing"), once(turns, "gone")];
    bus.flush = async () => {
      turns.emit("flushing");
      await deleted;
      await flush();
    };
    const socket = socketTo(url);
    socket.write(postOf(LISTEN, LISTEN_HEADERS));
    await flushing;
    socket.destroy();
    const cause = 'membus_gateway_requests_total{route="/mcp subscriptions/listen",status="aborted"}';
    await expect.poll(async () => (await figuresOf(url)).get(cause)).toBe(1);
    const begun = vi.spyOn(globalThis, "setInterval");
    const ended = vi.spyOn(globalThis, "clearInterval");
    turns.emit("gone");
    await expect.poll(() => drained).toHaveLength(3);
    const timers = begun.mock.results.map(({ value }) => value);
    const endedTimers = ended.mock.calls.map(([timer]) => timer);
    vi.restoreAllMocks();
    expect(timers.filter((timer) => !endedTimers.includes(timer))).toEqual([]);
  });

  it("of a client that left holds nothing", async () => {
    const { url, bus } = await fixture.gateway();
    const { drained } = watchedSubscriptions(bus);
    const first = await listener(`${url}/mcp`, "a");
    const streams = async () => (await figuresOf(url)).get("membus_gateway_streams");
    expect(await streams()).toBe(1);
    await closings.pop()!();
    await first.closed;
    await expect.poll(streams).toBe(0);
    // The agent's memory in two tiers, and the shared tier.
    const subject = (rest: string) => `a2e.default.${rest}.*`;
    const own = ["mcp.events.memory.episodic", "mcp.events.memory.working"].map(subject);
    await expect.poll(() => [...drained].sort()).toEqual([subject("*.events.memory.semantic"), ...own]);
    const figures = await figuresOf(url);
    expect(figures.get('membus_gateway_requests_total{route="/mcp subscriptions/listen",status="200"}')).toBe(
      1,
    );
    expect(figures.has('membus_gateway_request_seconds_count{route="/mcp subscriptions/listen"}')).toBe(
      false,
    );
  });
});
