import type { MemoryClient } from "@membus/agent-client";
import { mappingLines } from "@membus/cluster/routing";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { connectAlice } from "../../../cluster/test/connect-alice.js";
import { RunningHost } from "../running-host.js";
import { ClusterStage } from "./cluster-stage.js";

const TENANTS = ["acme", "Globex", "Initech_2"];
/** More than one page of entries. */
const NUMBERS = Array.from({ length: 300 }, (_, index) => index);
let stage: ClusterStage;

beforeAll(async () => {
  if (isRecent) stage = await ClusterStage.open({ config: mappingLines("a2e", 4) });
});
afterAll(() => stage?.close());
beforeEach(requireRecentServer);

const ok = (...args: string[]) => stage.ok(...args);

/** Creates a cluster and starts two hosts of it. Two clusters cannot serve the same tenants at a time. */
async function startCluster(name: string): Promise<string[]> {
  const flags = ["--cluster-name", name];
  const init = ["--store", `s3://bucket/${name}`, "--shards", "4", "--lease-ms", "3000"];
  await ok("cluster", "init", ...flags, ...init);
  for (const host of ["a", "b"]) await stage.start(host, ...flags);
  return flags;
}

const connectAll = (urls: string | readonly string[]) =>
  Promise.all(TENANTS.map((tenant) => connectAlice(urls, tenant)));

async function remember(alice: MemoryClient, tenant: string): Promise<void> {
  await alice.store(
    NUMBERS.map((n) => ({ key: `n${n}`, content: `number ${n} of ${tenant}`, tier: "episodic" })),
  );
  await alice.remember("shared", tenant, { tier: "semantic" });
  await alice.remember("gone", tenant, { tier: "episodic" });
  await alice.forget({ keys: ["gone"], tier: "episodic" });
}

/** Revisions of all entries of the agents by key, and a word search. */
async function contents(agents: readonly MemoryClient[]) {
  return Promise.all(
    agents.map(async (alice) => {
      const own = await alice.retrieve({ tier: "episodic", limit: 1_000 });
      const shared = await alice.retrieve({ tier: "semantic", limit: 10 });
      const found = await alice.retrieve({ tier: "episodic", query: "number 17", limit: 1 });
      const revisions = [...own.entries, ...shared.entries].map(({ key, revision }) => [
        JSON.stringify(key),
        revision,
      ]);
      return [revisions.sort(), found.entries[0]!.key];
    }),
  );
}

it("a cluster is copied into a backup, into a folder and into another cluster", async () => {
  const first = await startCluster("first");
  const agents = await connectAll(stage.urls);
  await Promise.all(agents.map((alice, at) => remember(alice, TENANTS[at]!)));
  const before = await contents(agents);
  expect(before[0]![0]).toHaveLength(NUMBERS.length + 1);
  expect(await ok("backup", "backups", ...first)).toContain("backed up to");
  expect(await ok("verify", "backups")).toMatch(/^ok/);
  await stage.endAll("SIGTERM");
  const unserved = await stage.cli("backup", "unserved", ...first);
  expect([unserved.code, unserved.stderr]).toEqual([
    1,
    expect.stringContaining("no host of the cluster runs"),
  ]);

  const host = new RunningHost();
  await ok("restore", "backups", "--data", host.data);
  await host.start();
  expect(await contents(await connectAll(host.url))).toEqual(before);

  const second = await startCluster("second");
  const served = await stage.cli("migrate", "--data", host.data, ...second);
  expect([served.code, served.stderr]).toEqual([1, expect.stringMatching(/is locked by process \d+/)]);
  await host.stop();
  const copied = await ok("restore", "backups", ...second, "--json");
  expect(JSON.parse(copied)).toEqual({
    tenants: 3,
    namespaces: 6,
    entries: 3 * (NUMBERS.length + 1),
    kept: 0,
  });
  expect(await contents(agents)).toEqual(before);
  const again = await stage.cli("restore", "backups", ...second);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("has entries in the cluster")]);
  await ok("restore", "backups", "--data", "restored");
  const merged = JSON.parse(await ok("migrate", "--data", "restored", ...second, "--merge", "--json"));
  expect(merged).toMatchObject({ kept: 3 * (NUMBERS.length + 1) });
  expect(await contents(agents)).toEqual(before);
});

/** Changes a byte in the middle of the largest file of rows. */
function damageRows(): void {
  const { store } = stage.s3;
  const files = store.keys.filter((key) => key.startsWith("second/") && key.includes("/data/"));
  const bodies = files.map((key) => ({ key, body: Buffer.from(store.get(key)!.body) }));
  const { key, body } = bodies.toSorted((a, b) => b.body.length - a.body.length)[0]!;
  body[body.length >> 1]! ^= 1;
  store.put(key, body, {});
}

it("a damaged row is found while the cluster serves", async () => {
  const flags = ["--cluster-name", "second"];
  const whole = await ok("verify", ...flags);
  expect(whole.match(/^ok {4}shard \d$/gm)).toHaveLength(4);
  expect(whole.match(/^ {6}episodic: 300 rows of 1 tables, \d+ records in the log$/gm)).not.toBeNull();
  damageRows();
  const damaged = await stage.cli("verify", ...flags);
  expect([damaged.code, damaged.stdout.match(/^FAIL {2}shard \d$/gm)]).toEqual([1, [expect.anything()]]);
  expect(damaged.stdout).toMatch(/the checksum does not match|cannot be read/);
});
