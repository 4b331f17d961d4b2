import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { connect, type Msg, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../bus/test/free-port.js";
import { A2eClient } from "../../gateway/test/a2e-client.js";
import { connectHttp } from "../../integrations/mcp/test/mcp-clients.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

const directory = mkdtempSync(join(tmpdir(), "membus-test-"));
const TENANTS = ["acme", "globex", "late", "unknown"];
const cleanups: (() => Promise<unknown>)[] = [];
const keyPath = join(directory, "membus-auth/keys/gateway.nk");
let nats = "";
let url = "";
/** Settings printed by `add-gateway`. */
let environment: Record<string, string>;

async function auth(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(["auth", ...args], { cwd: directory });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

/** Starts a gateway, standalone or in a host. */
async function listening(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcessWithoutNullStreams = spawnCli([...args, "--data", join(directory, "data")], {
    cwd: directory,
    env,
  });
  cleanups.push(() => endChild(child, "SIGTERM"));
  return (await lineOf(child, /^membus gateway is listening on/)).split(" ").at(-1)!;
}

beforeAll(async () => {
  const port = await freePort();
  nats = `nats://127.0.0.1:${port}`;
  const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");
  const tokens = TENANTS.map((tenant) => ({ sha256: sha256(`of_${tenant}`), tenant }));
  writeFileSync(join(directory, "membus.yaml"), JSON.stringify({ gateway: { tokens } }));
  await auth("init");
  for (const tenant of ["acme", "globex"]) await auth("add-tenant", tenant);
  await auth("add-agent", "acme", "alice");
  ({ environment } = JSON.parse(await auth("add-gateway", "--json")));
  url = await listening(["up", "--port", String(port), "--auth", "membus-auth", "--http", "0"]);
});
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  rmSync(directory, { recursive: true });
});

/** Opens a session of the agent alice of a tenant. Its stream is at `url` and its requests go to `to`. */
async function session(tenant: string, to = url) {
  const client = await A2eClient.create(to);
  await client.openStream(url);
  cleanups.push(async () => client.breakStream());
  await client.handshake(to, { auth_token: `of_${tenant}` });
  const memory_id = await client.init(to);
  return (type: "store" | "retrieve", fields: object) =>
    client.ask(to, { id: randomUUID(), type: `memory/${type}/req`, memory_id, ...fields });
}

/** Response of the inspector to a request with the token of a tenant. */
async function inspector(tenant: string, path: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ token: `of_${tenant}` });
  const entered = await fetch(`${url}/inspector/session`, { method: "POST", headers, body });
  const [cookie = ""] = entered.headers.get("set-cookie")!.split(";");
  return fetch(`${url}/inspector/${path}?tenant=${tenant}`, { headers: { cookie } });
}

/** Connects with the gateway's key. */
async function bare(seed = readFileSync(keyPath, "utf8")): Promise<NatsConnection> {
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(seed.trim()));
  const connection = await connect({ servers: nats, authenticator, inboxPrefix: "_INBOX_gateway" });
  cleanups.push(() => connection.close());
  return connection;
}

const entry = { key: { name: "fact" }, content: "stored over HTTP", tier: "semantic" };

describe("the gateway of membus up --auth --http", () => {
  it("stores and retrieves for the tenant of each token", async () => {
    const [acme, globex] = [await session("acme"), await session("globex")];
    expect(await acme("store", { entries: [entry] })).toMatchObject({ type: "memory/store/resp" });
    expect((await acme("retrieve", { keys: [entry.key] })).entries).toMatchObject([
      { content: entry.content },
    ]);
    expect((await globex("retrieve", { keys: [entry.key] })).entries).toEqual([]);
    await globex("store", { entries: [{ ...entry, content: "another" }] });
    expect((await globex("retrieve", { keys: [entry.key] })).entries).toMatchObject([{ content: "another" }]);
    const nkeySeed = readFileSync(join(directory, "membus-auth/keys/acme.alice.nk"), "utf8").trim();
    const identity = { servers: nats, tenant: "acme", agent: "alice" };
    const alice = await MemoryClient.connect({ ...identity, nkeySeed, inboxPrefix: "_INBOX_alice" });
    cleanups.push(() => alice.close());
    expect(await alice.recall("fact", { tier: "semantic" })).toBe(entry.content);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it("delivers a reply to the stream of another gateway that uses the printed settings", async () => {
    const other = await listening(["gateway", "--listen", "0"], { ...environment, NATS_URL: nats });
    expect((await fetch(`${other}/readyz`)).status).toBe(200);
    const apart = await session("acme", other);
    const stored = await apart("store", { entries: [{ ...entry, key: { name: "relayed" } }] });
    expect(stored).toMatchObject({ type: "memory/store/resp", errors: [] });
    expect((await apart("retrieve", { keys: [{ name: "relayed" }] })).entries).toHaveLength(1);
  });

  it("shows changes and the state of the host live", async () => {
    const response = await inspector("acme", "events");
    const events = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    await (await session("acme"))("store", {
      entries: [{ ...entry, key: { name: "shown" }, tier: "episodic" }],
    });
    let text = "";
    while (!text.includes('"shown"')) {
      const { value, done } = await events.read();
      if (done) break;
      text += value;
    }
    expect(text).toContain('"action":"stored"');
    await events.cancel();
    const health = (await (await inspector("acme", "health")).json()) as { hosts: unknown[] };
    expect(health.hosts).toMatchObject([{ state: "serving" }]);
  });

  it("notifies MCP clients of changes", async () => {
    const clients = ["acme", "globex"].map(async (tenant) => {
      const headers = { authorization: `Bearer of_${tenant}` };
      const client = await connectHttp("2026-07-28", `${url}/mcp/notes`, undefined, headers);
      cleanups.push(() => client.close());
      return client;
    });
    const [acme, globex] = await Promise.all(clients);
    const { structured } = await acme!.call("memory_remember", { key: "a", value: 1 });
    const notices = await acme!.subscribe(structured!.uri as string);
    expect((await globex!.call("memory_recall", { key: "a" })).structured).toMatchObject({ found: false });
    await acme!.call("memory_remember", { key: "a", value: 2 });
    expect(await notices.next()).toBe(structured!.uri);
  });

  it("serves an added tenant, and rejects an unknown one", async () => {
    await auth("add-tenant", "late");
    const late = await session("late");
    // The server reloads its configuration.
    await expect.poll(() => late("store", { entries: [entry] })).toMatchObject({ type: "memory/store/resp" });
    const unknown = await session("unknown");
    expect(await unknown("store", { entries: [entry] })).toMatchObject({ code: "unauthorized" });
  });
});

describe("the gateway's key", () => {
  it.each([
    ["another's inbox", "_INBOX_host.>"],
    ["all inboxes", "_INBOX.>"],
    ["replies to tenants", "_R_.>"],
    ["requests", "a2e.acme.*.memory.*.req"],
    ["events of all tenants", "a2e.*.*.events.memory.>"],
    ["events of hosts", "a2e.$HOST.*.events.>"],
    ["requests for the operator", "$SRV.>"],
    ["the server", "$SYS.>"],
    ["everything", ">"],
  ])("cannot subscribe to %s", async (_what, subject) => {
    const connection = await bare();
    const refused = new Promise((resolve) => {
      connection.subscribe(subject, { callback: (error) => resolve(error?.name) });
    });
    expect(await refused).toBe("PermissionViolationError");
  });

  it("allows more reply subscriptions than an agent's connection", async () => {
    const connection = await bare();
    const callback = (_error: unknown, message: Msg) => void message.respond("heard");
    for (let at = 1; at <= 2_000; at++) connection.subscribe(`membus-gateway.reply.${at}`, { callback });
    const answer = await connection.request("membus-gateway.reply.2000", "", { timeout: 10_000 });
    expect(answer.string()).toBe("heard");
  });

  it("allows a gateway to reply to another gateway", async () => {
    const [one, other] = [await bare(), await bare()];
    one.subscribe("membus-gateway.reply.session", {
      callback: (_error, message) => void message.respond("taken"),
    });
    await one.flush();
    const answer = await other.request("membus-gateway.reply.session", "lines", { timeout: 10_000 });
    expect(answer.string()).toBe("taken");
  });

  it.each([
    ["an event", "a2e.acme.alice.events.memory.semantic.stored"],
    ["a request of an unknown tenant", "a2e.unknown.alice.memory.store.req"],
    ["a request of hosts", "a2e.$HOST.alice.memory.store.req"],
    ["a request with a tier in its subject", "a2e.acme.alice.memory.store.semantic.req"],
    ["an agent's ping", "a2e.acme.alice.ping"],
    ["a reply to a host", "_INBOX_host.x"],
    ["a reply to a tenant", "_R_.x"],
    ["a request to all services", "$SRV.INFO"],
    ["a request to JetStream", "$JS.API.INFO"],
    ["an unknown subject", "membus-gateway.other"],
  ])("cannot publish %s", async (_what, subject) => {
    const connection = await bare();
    await expect(connection.request(subject, "{}", { timeout: 10_000 })).rejects.toThrow(
      /permissions violation/i,
    );
  });

  it("gives access only to the listed tenants", async () => {
    await auth("add-gateway", "--tenants", "globex,late");
    const acme = await session("acme");
    await expect.poll(() => acme("retrieve", { keys: [entry.key] })).toMatchObject({ code: "unauthorized" });
    const globex = await session("globex");
    expect((await globex("retrieve", { keys: [entry.key] })).entries).toHaveLength(1);
    await auth("add-gateway", "--tenants", "*");
    await expect.poll(() => acme("retrieve", { keys: [entry.key] })).toMatchObject({ total: 1 });
  });

  it("is rejected after rotation or removal, and its connections are closed", async () => {
    const [former, connection] = [readFileSync(keyPath, "utf8"), await bare()];
    await auth("rotate", "gateway");
    await connection.closed();
    await expect(bare(former)).rejects.toThrow(/authorization/i);
    const renewed = await bare();
    await auth("remove-gateway");
    await renewed.closed();
    expect(existsSync(keyPath)).toBe(false);
    // The gateway in the host process used the old key.
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
  });
});
