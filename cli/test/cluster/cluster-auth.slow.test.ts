import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { runCli } from "../run-cli.js";
import { ClusterStage } from "./cluster-stage.js";

const TENANTS = ["acme", "globex"];
const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
const cleanups: (() => Promise<unknown>)[] = [];
let stage: ClusterStage;

const seedOf = (name: string) => readFileSync(join(folder, "membus-auth/keys", `${name}.nk`), "utf8").trim();
const cli = (...args: string[]) => stage.cli(...args);

async function auth(...args: string[]): Promise<void> {
  const { code, stderr } = await runCli(["auth", ...args], { cwd: folder });
  expect([code, stderr]).toEqual([0, ""]);
}

/** Connects as the agent alice of a tenant, with the key of alice or of a gateway. */
async function connectAgent(tenant: string, key = `${tenant}.alice`): Promise<MemoryClient> {
  const inboxPrefix = `_INBOX_${key.split(".").at(-1)}`;
  const own = { servers: stage.urls, tenant, agent: "alice", inboxPrefix };
  const client = await MemoryClient.connect({ ...own, nkeySeed: seedOf(key) });
  cleanups.push(() => client.close());
  return client;
}

beforeAll(async () => {
  if (!isRecent) return;
  await auth("init", "--shards", "2");
  await auth("add-gateway");
  for (const tenant of TENANTS) {
    await auth("add-tenant", tenant);
    await auth("add-agent", tenant, "alice");
  }
  stage = await ClusterStage.open({
    config: readFileSync(join(folder, "membus-auth/nats-auth.conf"), "utf8"),
    user: { nkeySeed: seedOf("host"), inboxPrefix: "_INBOX_host" },
    folder,
    env: { MEMBUS_NATS_AUTH: "membus-auth" },
  });
});
afterAll(async () => {
  await Promise.all(cleanups.map((cleanup) => cleanup()));
  await stage?.close();
});
beforeEach(requireRecentServer);

it("hosts, agents of tenants, gateways and the operator use a cluster with their keys", async () => {
  const init = ["--store", "s3://bucket/memory", "--shards", "2", "--lease-ms", "3000"];
  expect(await cli("cluster", "init", ...init)).toMatchObject({ code: 0 });
  await Promise.all(["a", "b"].map((host) => stage.start(host)));
  const agents = await Promise.all(TENANTS.map((tenant) => connectAgent(tenant)));
  await Promise.all(agents.map((alice, at) => alice.remember("name", TENANTS[at]!, { tier: "episodic" })));
  expect((await cli("cluster", "drain", "a")).code).toBe(0);
  expect(await Promise.all(agents.map((alice) => alice.recall("name")))).toEqual(TENANTS);
  const gateway = await connectAgent("globex", "gateway");
  expect(await gateway.recall("name")).toBe("globex");
  const listed = await cli("agents", "--tenant", "acme");
  expect(listed).toMatchObject({ stderr: "", stdout: expect.stringContaining("alice") });
  expect((await cli("cluster", "status")).stdout).toContain("a: leaving, 0 shards");
});

it.each([
  "log.membus-0-episodic.x",
  "p.0.a2e.acme.bob.memory.store.req",
  "p.0.control",
  "$KV.membus.own.pin.0",
])("an agent may not publish on %s", async (subject) => {
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(seedOf("acme.alice")));
  const agent = await connect({
    servers: [...stage.urls],
    authenticator,
    inboxPrefix: "_INBOX_alice",
  });
  cleanups.push(() => agent.close());
  const refused = agent.request(subject, "", { timeout: 60_000 });
  await expect(refused).rejects.toThrow("Permissions Violation");
});
