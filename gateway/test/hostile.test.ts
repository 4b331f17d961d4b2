import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Gateway } from "../src/index.js";
import { A2eClient } from "./a2e-client.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");

describe("a token", () => {
  it("grants only its identity", async () => {
    const tokens = [
      { sha256: sha256("right"), tenant: "acme", agent: "alice" },
      { sha256: sha256("shared"), tenant: "acme" },
    ];
    const { url } = await fixture.gateway({ tokens });
    const shaken = async (fields: Readonly<Record<string, unknown>>) => {
      const client = await A2eClient.create(url);
      await client.openStream(url);
      const { ok, reason } = await client.handshake(url, fields);
      const { type } = await client.ask(url, { type: "memory/init/req", namespace: "default" });
      return [ok, reason, type];
    };
    const [welcome, refused] = [
      [true, "", "memory/init/resp"],
      [false, "auth_failed", "error"],
    ];
    expect(await shaken({ auth_token: "right", agent_id: "whoever" })).toEqual(welcome);
    expect(await shaken({ auth_token: "shared", agent_id: "zoë" })).toEqual(welcome);
    expect(await shaken({ auth_token: "wrong" })).toEqual(refused);
    expect(await shaken({})).toEqual(refused);
    expect(await shaken({ auth_token: "shared", agent_id: "" })).toEqual(refused);
    expect(JSON.stringify(fixture.logger.lines)).not.toMatch(/right|shared|wrong/);
  });

  it("is rejected if it is unknown, and never logged", async () => {
    const tokens = [{ sha256: sha256("right"), tenant: "acme" }];
    const openai = { upstream: "http://127.0.0.1:9/v1" };
    const { url } = await fixture.gateway({ tokens, openai });
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "Basic cmlnaHQ6" }]) {
      for (const path of ["chat/completions", "embeddings"]) {
        expect((await fetch(`${url}/v1/${path}`, { method: "POST", headers, body: "{}" })).status).toBe(401);
      }
      expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(401);
    }
    expect(fixture.logger.lines).toContainEqual({
      level: "warn",
      message: "refused",
      fields: { cause: "unknown_token", count: 1 },
    });
    expect(JSON.stringify(fixture.logger.lines)).not.toMatch(/right|wrong|cmlnaHQ6/);
  });

  it("is required to listen beyond loopback", async () => {
    const parts = { bus: await fixture.bus(), sessions: "unused" };
    expect(() => new Gateway(parts, { host: "0.0.0.0" })).toThrow("tokens are required to listen on 0.0.0.0");
  });
});

describe("a session", () => {
  it("is not accessible by its digest or by similar ids", async () => {
    const { url } = await fixture.gateway();
    const owner = await A2eClient.create(url);
    await owner.openStream(url);
    const { session_id } = await owner.handshake(url);
    for (const id of [session_id as string, owner.id.toUpperCase(), owner.id.slice(0, 31)]) {
      expect((await new A2eClient(id).post(url, "{}")).status).toBe(404);
      expect(await new A2eClient(id).openStream(url)).toBe(404);
    }
    expect(await owner.ask(url, { type: "ping" })).toMatchObject({ type: "pong" });
  });
});

describe("a request", () => {
  let url = "";
  let socketOf: () => Socket;
  beforeAll(async () => {
    ({ url } = await fixture.gateway({
      hosts: ["memory.example.org"],
      origins: ["https://app.example.org"],
    }));
    socketOf = () => connect(Number(new URL(url).port), "127.0.0.1");
  });

  it.each([
    [{ host: "evil.example" }, 403],
    [{ host: "127.0.0.1.evil.example" }, 403],
    [{ host: "memory.example.org:8765" }, 200],
    [{ host: "[::1]:8765" }, 200],
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "https://app.example.org" }, 200],
    [{ host: "memory.example.org:8765", origin: "http://memory.example.org:8765" }, 200],
    [{ host: "memory.example.org", origin: "https://memory.example.org" }, 200],
    [{ host: "localhost", origin: "http://localhost:3000" }, 403],
    [{ host: "evil.example", origin: "http://evil.example" }, 403],
  ])("with %j is answered %i", async (headers, status) => {
    const request = httpRequest(`${url}/health`, { headers, agent: false }).end();
    const [response] = await once(request, "response");
    response.resume();
    expect(response.statusCode).toBe(status);
  });

  it("is accepted from the own page only under a name of the gateway", async () => {
    const { url: anyName } = await fixture.gateway({ hosts: ["*"] });
    const headers = { host: "evil.example", origin: "http://evil.example" };
    const [response] = await once(
      httpRequest(`${anyName}/health`, { headers, agent: false }).end(),
      "response",
    );
    response.resume();
    expect(response.statusCode).toBe(403);
  });

  it("under a foreign host name or origin reaches no route", async () => {
    for (const [method, path] of ROUTES) {
      for (const headers of [{ host: "evil.example" }, { origin: "https://evil.example" }]) {
        const request = httpRequest(`${url}${path}`, { method, headers, agent: false }).end();
        const [response] = await once(request, "response");
        response.resume();
        expect([path, response.statusCode]).toEqual([path, 403]);
      }
    }
    const old = socketOf();
    old.end("GET /health HTTP/1.0\r\n\r\n");
    expect(await textOf(old)).toMatch(/^HTTP\/1.1 403/);
  });

  it("with an endless body is disconnected", async () => {
    const client = await A2eClient.create(url);
    const socket = socketOf();
    const head = `host: localhost\r\nx-session-id: ${client.id}\r\ntransfer-encoding: chunked`;
    socket.write(`POST /send HTTP/1.1\r\n${head}\r\n\r\n`);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const closed = textOf(socket);
    // Only this process buffers these bytes.
    while (!socket.destroyed) {
      if (!socket.write(chunk)) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
    }
    await closed;
    expect(socket.bytesWritten).toBeLessThan(64 * 1024 * 1024);
    await client.openStream(url);
    expect(await client.handshake(url)).toMatchObject({ ok: true });
  });

  it("for a path that is similar to a route gets 404", async () => {
    const paths = [
      ...["/../session", "/session/../../etc/passwd", "//session", "/%73ession", "/STREAM", "/session/", "*"],
      ...[
        "/..%2fsession",
        "/session%00",
        "/session;x=1",
        "http://localhost/session",
        `/${"a/".repeat(4_000)}`,
      ],
    ];
    for (const path of paths) {
      const socket = socketOf();
      socket.end(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      expect([path, (await textOf(socket)).slice(0, 12)]).toEqual([path, "HTTP/1.1 404"]);
    }
  });

  it("without a session, or with an unknown one, is rejected", async () => {
    expect((await fetch(`${url}/send`, { method: "POST", body: "{}" })).status).toBe(400);
    for (const id of ["0".repeat(32), "../../etc", "a".repeat(5_000)]) {
      expect((await new A2eClient(id).post(url, "{}")).status).toBe(404);
    }
  });

  it("that is not HTTP, has too many headers, or ends halfway does no harm", async () => {
    const client = await A2eClient.create(url);
    const get = "GET /health HTTP/1.1\r\nhost: localhost\r\n";
    const many = Array.from({ length: 5_000 }, (_, n) => `x${n}: y\r\n`).join("");
    const bombs = [`${get}x: ${"y".repeat(100_000)}\r\n\r\n`, `${get}${many}\r\n`];
    const twoLengths =
      "POST /send HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n";
    const paths = ["/session\0", `/${"a".repeat(100_000)}`].map((path) => `POST ${path} HTTP/1.1\r\n\r\n`);
    for (const text of ["no http\r\n\r\n", ...bombs, twoLengths, ...paths]) {
      const socket = socketOf();
      socket.write(text);
      expect(await textOf(socket)).toBe("");
    }
    const half = socketOf();
    half.write(
      `POST /send HTTP/1.1\r\nhost: localhost\r\nx-session-id: ${client.id}\r\ncontent-length: 100\r\n\r\n{"ty`,
    );
    await once(half, "connect");
    half.destroy();
    await client.openStream(url);
    expect(await client.handshake(url)).toMatchObject({ ok: true });
  });
});

describe("a reader", () => {
  it("that does not read loses its session, and affects no other", async () => {
    const { url } = await fixture.gateway({ streamBytesMax: 1_048_576 });
    const [slow, other] = [await A2eClient.create(url), await A2eClient.create(url)];
    await other.openStream(url);
    await other.handshake(url, { agent_id: "other" });
    await slow.openStream(url);
    await slow.handshake(url, { agent_id: "slow" });
    const memory_id = await slow.init(url);
    const entries = [{ key: { id: "big" }, content: "x".repeat(200_000), tier: "semantic" }];
    await slow.ask(url, { type: "memory/store/req", memory_id, entries });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(`GET /stream HTTP/1.1\r\nhost: localhost\r\nx-session-id: ${slow.id}\r\n\r\n`);
    await once(socket, "data");
    socket.pause();
    const closed = once(
      socket.on("error", () => {}),
      "close",
    );
    // The kernel buffers some megabytes.
    for (let n = 0; n < 300 && (await slow.post(url, retrieveBig(memory_id, n))).status === 200; n++);
    socket.resume();
    await closed;
    expect((await slow.post(url, "{}")).status).toBe(404);
    expect(await other.ask(url, { type: "ping" })).toMatchObject({ type: "pong" });
  });
});

const ROUTES = [
  ["POST", "/session"],
  ["GET", "/stream"],
  ["POST", "/send"],
  ["GET", "/health"],
  ["GET", "/readyz"],
  ["GET", "/metrics"],
  ["POST", "/v1/chat/completions"],
  ["POST", "/mcp"],
  ["GET", "/mcp/project"],
  ["DELETE", "/mcp"],
  ["OPTIONS", "/send"],
] as const;

function retrieveBig(memory_id: string, n: number): string {
  return JSON.stringify({ type: "memory/retrieve/req", id: `r${n}`, memory_id, keys: [{ id: "big" }] });
}

async function textOf(socket: Socket): Promise<string> {
  let text = "";
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.setEncoding("utf8").on("error", () => {});
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await closed;
  return text;
}
