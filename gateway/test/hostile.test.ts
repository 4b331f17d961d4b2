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
  it("lets in whom it names, and nobody else", async () => {
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

  it("is needed where others than this machine can connect", async () => {
    const parts = { bus: await fixture.bus(), directory: "unused" };
    expect(() => new Gateway(parts, { host: "0.0.0.0" })).toThrow("tokens are needed to listen on 0.0.0.0");
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

  it("of its own page counts where the gateway is called by its name, and not by any", async () => {
    const { url: anyName } = await fixture.gateway({ hosts: ["*"] });
    const headers = { host: "evil.example", origin: "http://evil.example" };
    const [response] = await once(
      httpRequest(`${anyName}/health`, { headers, agent: false }).end(),
      "response",
    );
    response.resume();
    expect(response.statusCode).toBe(403);
  });

  it.each(["/../session", "/session/../../etc/passwd", "//session", "/%73ession", "/STREAM"])(
    "for %s finds nothing",
    async (path) => {
      const socket = socketOf();
      socket.end(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      expect(await textOf(socket)).toMatch(/^HTTP\/1.1 404/);
    },
  );

  it("without a session, or with one that there is not, is refused", async () => {
    expect((await fetch(`${url}/send`, { method: "POST", body: "{}" })).status).toBe(400);
    for (const id of ["0".repeat(32), "../../etc", "a".repeat(5_000)]) {
      expect((await new A2eClient(id).post(url, "{}")).status).toBe(404);
    }
  });

  it("that is no HTTP, has too many headers, or ends halfway, harms nobody", async () => {
    const client = await A2eClient.create(url);
    const bomb = `GET /health HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(100_000)}\r\n\r\n`;
    for (const text of ["no http\r\n\r\n", bomb]) {
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
  it("that takes nothing loses its session, and no one else", async () => {
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
    // The kernel takes some megabytes on its own.
    for (let n = 0; n < 300 && (await slow.post(url, retrieveBig(memory_id, n))).status === 200; n++);
    socket.resume();
    await closed;
    expect((await slow.post(url, "{}")).status).toBe(404);
    expect(await other.ask(url, { type: "ping" })).toMatchObject({ type: "pong" });
  });
});

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
