import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { type NatsClusterFixture, openNatsCluster } from "../../../cluster/test/nats-cluster-fixture.js";
import { FakeS3 } from "../../../plugins/lancedb/test/s3/fake-s3.js";
import { endChild, lineOf, runCli, spawnCli } from "../run-cli.js";

const TENANTS = ["acme", "globex"];
const cwd = mkdtempSync(join(tmpdir(), "membus-test-"));
const cleanups: (() => Promise<unknown>)[] = [];
let nats: NatsClusterFixture;
let s3: FakeS3;

const seedOf = (name: string) => readFileSync(join(cwd, "membus-auth/keys", `${name}.nk`), "utf8").trim();
const options = () => ({
  cwd,
  env: {
    ...{ NATS_URL: nats.cluster.urls.join(","), MEMBUS_NATS_AUTH: "membus-auth" },
    ...{
      AWS_ENDPOINT_URL: s3.storageOptions.endpoint!,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
    },
  },
});
const cli = (...args: string[]) => runCli(args, options());

async function auth(...args: string[]): Promise<void> {
  const { code, stderr } = await runCli(["auth", ...args], { cwd });
  expect([code, stderr]).toEqual([0, ""]);
}

/** Connects as the agent alice of a tenant, with the key of alice or of a gateway. */
async function connectAgent(tenant: string, key = `${tenant}.alice`): Promise<MemoryClient> {
  const inboxPrefix = `_INBOX_${key.split(".").at(-1)}`;
  const own = { servers: nats.cluster.urls, tenant, agent: "alice", inboxPrefix };
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
  nats = await openNatsCluster(readFileSync(join(cwd, "membus-auth/nats-auth.conf"), "utf8"), {
    nkeySeed: seedOf("host"),
    inboxPrefix: "_INBOX_host",
  });
  s3 = await FakeS3.start();
  cleanups.push(
    () => s3.stop(),
    () => nats.close(),
  );
});
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  rmSync(cwd, { recursive: true, force: true });
});
beforeEach(requireRecentServer);

async function start(host: string): Promise<ChildProcessWithoutNullStreams> {
  const child = spawnCli(["up", "--cluster", nats.cluster.urls.join(","), "--host-name", host], options());
  cleanups.push(() => endChild(child, "SIGKILL"));
  await lineOf(child, new RegExp(`^host ${host} serves cluster `));
  return child;
}

it("hosts, agents of tenants, gateways and the operator use a cluster with their keys", async () => {
  const init = ["--store", "s3://bucket/memory", "--shards", "2", "--lease-ms", "3000"];
  expect(await cli("cluster", "init", ...init)).toMatchObject({ code: 0 });
  await Promise.all(["a", "b"].map(start));
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
    servers: [...nats.cluster.urls],
    authenticator,
    inboxPrefix: "_INBOX_alice",
  });
  cleanups.push(() => agent.close());
  const refused = agent.request(subject, "", { timeout: 60_000 });
  await expect(refused).rejects.toThrow("Permissions Violation");
});
