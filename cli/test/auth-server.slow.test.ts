import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectOptions, MemoryClient } from "@membus/agent-client";
import { connect, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { freePort } from "../../bus/test/free-port.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

const directory = mkdtempSync(join(tmpdir(), "membus-test-"));
const seedOf = (name: string) =>
  readFileSync(join(directory, "membus-auth/keys", `${name}.nk`), "utf8").trim();
const cleanups: (() => Promise<unknown>)[] = [];
let url: string;
let up: ChildProcessWithoutNullStreams;

async function auth(...args: string[]): Promise<void> {
  const { code, stderr } = await runCli(["auth", ...args], { cwd: directory });
  expect([code, stderr]).toEqual([0, ""]);
}

/** Connects a client with the agent's key, or with the given seed. */
async function client(
  tenant: string,
  agent: string,
  options: Partial<ConnectOptions> & { readonly nkeySeed?: string } = {},
) {
  const nkeySeed = options.nkeySeed ?? seedOf(`${tenant}.${agent}`);
  const own = { servers: url, tenant, agent, nkeySeed, inboxPrefix: `_INBOX_${agent}` };
  const made = await MemoryClient.connect({ ...own, retryTimeoutMs: 0, ...options } as ConnectOptions);
  cleanups.push(() => made.close());
  return made;
}

async function bare(name: string, inboxPrefix: string): Promise<NatsConnection> {
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(seedOf(name)));
  const connection = await connect({ servers: url, authenticator, inboxPrefix });
  cleanups.push(() => connection.close());
  return connection;
}

beforeAll(async () => {
  const port = await freePort();
  url = `nats://127.0.0.1:${port}`;
  await auth("init", "--max-payload", "65536");
  for (const tenant of ["acme", "globex"]) {
    await auth("add-tenant", tenant);
    for (const agent of ["alice", "bob"]) await auth("add-agent", tenant, agent);
  }
  up = spawnCli(["up", "--data", join(directory, "data"), "--port", String(port), "--auth", "membus-auth"], {
    cwd: directory,
  });
  await lineOf(up, /^membus is listening on/);
});
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  await endChild(up, "SIGTERM");
  rmSync(directory, { recursive: true });
});

describe("membus doctor with nats.auth", () => {
  const doctor = (...args: string[]) =>
    runCli(["doctor", "--config", "doctor.yaml", ...args], { cwd: directory });
  const configure = (natsUrl: string) =>
    writeFileSync(
      join(directory, "doctor.yaml"),
      `data: ./data\nnats: { url: "${natsUrl}", auth: ./membus-auth }\n`,
    );

  it("checks a running host with the operator's key", async () => {
    configure(url);
    const { code, stdout } = await doctor();
    expect(stdout).toMatch(/^ok {4}host: \S+ serves working, episodic, semantic$/m);
    expect(stdout).toMatch(/^ok {4}tier semantic/m);
    expect(code).toBe(0);
  });

  it("connects only without --no-host", async () => {
    configure("nats://127.0.0.1:1");
    expect(await doctor("--no-host")).toMatchObject({
      code: 0,
      stdout: expect.not.stringMatching(/FAIL|host:/),
    });
    expect(await doctor()).toMatchObject({ code: 1, stdout: expect.stringContaining("--no-host") });
  });
});

describe("agents of a server configured by membus auth", () => {
  it("have separate memories, and share the semantic tier with their tenant only", async () => {
    const [alice, bob, stranger] = [
      await client("acme", "alice"),
      await client("acme", "bob"),
      await client("globex", "alice"),
    ];
    await alice.store([
      { key: "diary", content: "mine", tier: "episodic" },
      { key: "fact", content: "ours", tier: "semantic" },
    ]);
    const keys = { keys: ["diary", "fact"] };
    expect((await alice.retrieve(keys)).total).toBe(2);
    expect((await bob.retrieve(keys)).entries).toMatchObject([{ content: "ours" }]);
    expect((await stranger.retrieve(keys)).total).toBe(0);
  });

  it("cannot use subjects of other agents, other tenants or the server", async () => {
    const alice = await client("acme", "alice");
    await rejection(alice.forAgent("bob").retrieve({}), "unauthorized");
    const inGlobex = await client("acme", "alice", { tenant: "globex" });
    await rejection(inGlobex.retrieve({}), "unauthorized");
    const connection = await bare("acme.alice", "_INBOX_alice");
    expect(connection.info?.max_payload).toBe(65_536);
    for (const subject of [
      "a2e.acme.bob.>",
      "a2e.acme.bob.events.memory.episodic.*",
      "a2e.*.*.events.memory.semantic.>",
      "a2e.globex.alice.events.>",
      "_INBOX_bob.>",
      "_INBOX.>",
      "$SRV.>",
      "$SYS.>",
      ">",
    ]) {
      const refused = new Promise((resolve) => {
        connection.subscribe(subject, { callback: (error) => resolve(error?.name) });
      });
      expect([subject, await refused]).toEqual([subject, "PermissionViolationError"]);
    }
  });

  it("receive events of their private entries and of shared entries", async () => {
    const [alice, bob] = [await client("acme", "alice"), await client("acme", "bob")];
    const received: string[] = [];
    await bob.watch({}, ({ tier, author }) => void received.push(`${tier} by ${author}`));
    await alice.remember("news", 1, { tier: "episodic" });
    await alice.remember("news", 1, { tier: "semantic" });
    await bob.remember("news", 2, { tier: "episodic" });
    await expect.poll(() => received).toEqual(["semantic by alice", "episodic by bob"]);
  });

  it("can use only the permitted tiers, with the tier in the subject", async () => {
    await auth("add-agent", "acme", "carol", "--tiers", "working", "--read-only-tiers", "semantic");
    const options = { tierSubjects: true };
    await expect.poll(() => client("acme", "carol", options).then(() => true, String)).toBe(true);
    const carol = await client("acme", "carol", options);
    await (await client("acme", "alice")).remember("for carol", 1, { tier: "semantic" });
    await carol.remember("own", 1);
    const found = await carol.retrieve({ tier: "semantic", keys: ["for carol"] });
    expect(found.entries).toMatchObject([{ content: 1, author: "alice" }]);
    expect((await carol.list({ tier: "semantic" })).items).toHaveLength(1);
    expect(await carol.forget({ tier: "working", keys: ["own"] })).toMatchObject({ deleted: 1 });
    await rejection(carol.remember("fact", 2, { tier: "semantic" }), "unauthorized");
    await rejection(carol.forget({ tier: "semantic", keys: ["for carol"] }), "unauthorized");
    await rejection(carol.retrieve({ tier: "episodic" }), "unauthorized");
    await rejection(carol.retrieve(), "unauthorized");
    const smuggled = await bare("acme.carol", "_INBOX_carol");
    const entries = [{ key: "fact", content: 2, tier: "semantic" }];
    const sent = JSON.stringify({ type: "memory/store/req", entries });
    const { data } = await smuggled.request("a2e.acme.carol.memory.store.working.req", sent);
    expect(JSON.parse(new TextDecoder().decode(data))).toMatchObject({ errors: [{ code: "unauthorized" }] });
  });

  it("cannot connect without a key", async () => {
    await rejection(MemoryClient.connect({ servers: url, tenant: "acme", agent: "alice" }), "unauthorized");
  });
});

it("the operator can read statistics and list agents, but read no memories", async () => {
  const operator = await bare("operator", "_INBOX_operator");
  const request = JSON.stringify({ type: "memory/agents/req" });
  const listed = await operator.request("a2e.acme.$OPERATOR.memory.agents.req", request, { timeout: 60_000 });
  expect(JSON.parse(new TextDecoder().decode(listed.data))).toMatchObject({ type: "memory/agents/resp" });
  const { data } = await operator.request("$SRV.STATS.membus", "", { timeout: 60_000 });
  expect(JSON.parse(new TextDecoder().decode(data))).toMatchObject({ name: "membus" });
  const ask = operator.request("a2e.acme.alice.memory.retrieve.req", "{}", { timeout: 60_000 });
  await expect(ask).rejects.toThrow(/permissions violation/i);
});

describe("a key of a running server", () => {
  it("is rejected after rotation, its connection is closed, and the new key works", async () => {
    const former = seedOf("acme.bob");
    const connection = await bare("acme.bob", "_INBOX_bob");
    await auth("rotate", "acme", "bob");
    // The client reconnects with the old key, which is rejected.
    await connection.closed();
    await rejection(client("acme", "bob", { nkeySeed: former }), "unauthorized");
    const bob = await client("acme", "bob");
    expect((await bob.retrieve({ keys: ["fact"] })).total).toBe(1);
  });

  it("is rejected after removal, and its connection is closed", async () => {
    await auth("add-agent", "acme", "dave");
    await auth("add-tenant", "umbrella");
    await auth("add-agent", "umbrella", "erin");
    for (const [tenant, agent, remove] of [
      ["acme", "dave", ["remove-agent", "acme", "dave"]],
      ["umbrella", "erin", ["remove-tenant", "umbrella"]],
    ] as const) {
      const nkeySeed = seedOf(`${tenant}.${agent}`);
      const connected = () => client(tenant, agent, { nkeySeed }).then(() => true, String);
      await expect.poll(connected).toBe(true);
      const connection = await bare(`${tenant}.${agent}`, `_INBOX_${agent}`);
      await auth(...remove);
      await connection.closed();
      await rejection(client(tenant, agent, { nkeySeed }), "unauthorized");
      expect(existsSync(join(directory, "membus-auth/keys", `${tenant}.${agent}.nk`))).toBe(false);
    }
    // Other agents are still served.
    expect((await (await client("acme", "alice")).retrieve({ keys: ["fact"] })).total).toBe(1);
  });

  it("works as soon as its agent is added, and a connection beyond the tenant's limit is refused", async () => {
    await auth("add-tenant", "initech", "--connections-max", "1");
    await auth("add-agent", "initech", "carol");
    let carol: MemoryClient | undefined;
    const connected = async () => {
      carol ??= await client("initech", "carol").catch(() => undefined);
      return carol;
    };
    await expect.poll(connected, { interval: 200 }).toBeDefined();
    await carol!.remember("a", 1, { tier: "semantic" });
    expect(await carol!.recall("a")).toBe(1);
    // The server closes the connection before the client receives the reason.
    await rejection(client("initech", "carol", { connectTimeoutMs: 1_000 }), "unavailable");
  });
});
