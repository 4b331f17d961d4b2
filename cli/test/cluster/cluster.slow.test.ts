import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mappingLines, shardOf } from "@membus/cluster/routing";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { connectAlice } from "../../../cluster/test/connect-alice.js";
import { ClusterStage } from "./cluster-stage.js";

const STORE = "s3://bucket/memory";
/** Areas of the conformance suite that need neither a restart nor long. */
const AREAS = "discovery,store,forget,shared,namespace";
const TENANTS = Array.from({ length: 8 }, (_, index) => `tenant-${index}`);

let stage: ClusterStage;

beforeAll(async () => {
  if (isRecent) stage = await ClusterStage.open({ config: mappingLines("a2e", 4) });
});
afterAll(() => stage?.close());
beforeEach(requireRecentServer);

const cli = (...args: string[]) => stage.cli(...args);
const up = (...args: string[]) => ["up", "--cluster", stage.urls.join(","), ...args];
const startAll = (...hosts: string[]) =>
  Promise.all(hosts.map((host) => stage.start(host, "--store", STORE)));

it("the mapping of the servers is the one that the command prints", async () => {
  expect((await cli("cluster", "config", "--shards", "4")).stdout).toBe(`${mappingLines("a2e", 4)}\n`);
});

/** Returns the state of each host, and the number of shards with an owner. */
async function status(): Promise<[Record<string, string>, number]> {
  const { stdout } = await cli("cluster", "status", "--json");
  const found = JSON.parse(stdout) as {
    readonly hosts: readonly { readonly host: string; readonly state: string }[];
    readonly shards: readonly { readonly host: string | null }[];
  };
  const states = Object.fromEntries(found.hosts.map(({ host, state }) => [host, state]));
  return [states, found.shards.filter(({ host }) => host !== null).length];
}

it("a host is refused before the cluster is created", async () => {
  const { code, stderr } = await cli(...up());
  expect([code, stderr]).toEqual([1, expect.stringContaining("run `membus cluster init`")]);
});

it("a cluster with another number of shards than the servers map is refused", async () => {
  const { code, stderr } = await cli("cluster", "init", "--store", STORE, "--shards", "8");
  expect([code, stderr]).toEqual([1, expect.stringContaining("by another number of shards")]);
});

it("a cluster is not created while the monitoring of a server does not answer", async () => {
  const settings = join(stage.folder, "membus.yaml");
  await writeFile(settings, "cluster:\n  monitoring: [http://127.0.0.1:1]\n");
  const { code, stderr } = await cli("cluster", "init", "--store", STORE, "--shards", "4");
  await rm(settings);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("nats-server 127.0.0.1:1: its monitoring is unknown"),
  ]);
});

it.each([
  [["--repair"], "--repair is not supported in a cluster"],
  [["--read-only"], "--read-only is not supported in a cluster"],
  [["--audit"], "audit in a cluster needs audit_key"],
  [["--http"], "http is not supported in a cluster: run `membus gateway` beside the host"],
  [["--data", "folder"], "--data and a cluster exclude each other"],
  [["--port", "4333"], "--port is for an embedded nats-server"],
])("membus up --cluster %s is refused", async (flags, message) => {
  const { code, stderr } = await cli(...up(...flags));
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it("hosts are conformant, and serve everything after one of them is killed and another one is stopped", async () => {
  const init = ["cluster", "init", "--store", STORE, "--shards", "4"];
  expect(await cli(...init)).toMatchObject({ code: 0 });
  expect((await cli(...init)).stdout).toContain("exists");
  await startAll("a", "b", "c");
  await expect.poll(status).toEqual([{ a: "running", b: "running", c: "running" }, 4]);
  const agents = await Promise.all(TENANTS.map((tenant) => connectAlice(stage.urls, tenant)));
  await Promise.all(
    agents.map(async (alice, at) => {
      await alice.remember("own", TENANTS[at]!, { tier: "episodic" });
      await alice.remember("shared", TENANTS[at]!, { tier: "semantic" });
    }),
  );
  const recallAll = () =>
    Promise.all(agents.flatMap((alice) => [alice.recall("own"), alice.recall("shared")]));
  const kept = TENANTS.flatMap((tenant) => [tenant, tenant]);
  const suite = await cli(
    "conformance",
    "host",
    "--only",
    AREAS,
    "--tenants",
    "tenant-0,tenant-1",
    "--seed",
    "1",
  );
  const red = suite.stdout.match(/^(FAIL|UNTESTABLE|SUITE ERROR) [\s\S]*/m)?.[0];
  expect(red, red).toBeUndefined();
  expect(suite.stdout).toContain("none is red");
  await stage.end("a", "SIGKILL");
  expect(await recallAll()).toEqual(kept);
  await expect.poll(status).toEqual([{ a: "stopped", b: "running", c: "running" }, 4]);
  expect(await stage.end("b", "SIGTERM")).toBe(0);
  expect(await recallAll()).toEqual(kept);
  expect(await status()).toEqual([{ a: "stopped", b: "stopped", c: "running" }, 4]);
});

it("an operator drains a host, moves a shard and erases a tenant", async () => {
  await startAll("a", "b");
  await expect.poll(status).toMatchObject([{ a: "running", b: "running", c: "running" }, 4]);
  const drained = await cli("cluster", "drain", "c");
  expect(drained).toMatchObject({
    code: 0,
    stdout: "host c owns no shards and takes none until it is restarted\n",
  });
  expect((await status())[0]).toEqual({ a: "running", b: "running", c: "leaving" });
  const refused = await cli("cluster", "move", "0", "c");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("host c takes no shards")]);
  expect((await cli("cluster", "drain", "c", "--undo")).stdout).toBe("host c takes shards again\n");
  expect((await cli("cluster", "move", "0", "c")).stdout).toBe("host c serves shard 0\n");
  expect((await cli("cluster", "status")).stdout).toMatch(
    /^ {2}0: c, epoch \d+, moved to c by an operator, serving, \d+ rows to flush, \d+ log records since the last flush, \d+ log streams$/m,
  );
  const loss = await cli("cluster", "accept-loss", "0", "--yes");
  expect([loss.code, loss.stderr]).toEqual([1, expect.stringContaining("shard 0 has no loss to accept")]);
  // No check of the suite uses this tenant. In others it may leave entries.
  const erased = await cli("admin", "erase", "--cluster-name", "membus", "--tenant", "tenant-7", "--yes");
  expect(erased.stdout).toMatch(/^episodic {2}1 entries in 1 namespaces/m);
  const alice = await connectAlice(stage.urls, "tenant-7");
  expect(await alice.recall("own")).toBeNull();
  const doctor = await cli("doctor", "--cluster-name", "membus");
  expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringContaining("ok    hosts: a, b, c")]);
  const tiers = ["a", "b", "c"].map((host) => `ok    tier episodic of host ${host}: lancedb`);
  expect(doctor.stdout.match(/^ok {4}tier episodic.*$/gm)).toEqual(tiers);
  expect((await cli("stats")).stdout).toMatch(/^all hosts {2}episodic {2}shards 4, /m);
});

it("a host writes audit lines with the secret that all hosts have", async () => {
  const settings = join(stage.folder, "membus.yaml");
  await writeFile(join(stage.folder, "audit.key"), "ab".repeat(32));
  await writeFile(settings, "audit: true\naudit_key: audit.key\n");
  await stage.start("d", "--store", STORE);
  const shard = String(shardOf("tenant-0", 4));
  expect((await cli("cluster", "move", shard, "d")).code).toBe(0);
  const alice = await connectAlice(stage.urls, "tenant-0");
  await alice.remember("diary", "a walk by the river", { tier: "episodic" });
  const hash = (await cli("audit", "hash", "diary")).stdout.trim();
  await rm(settings);
  const lines = () => readFile(join(stage.folder, "d.log"), "utf8");
  await expect.poll(lines).toMatch(new RegExp(`"type":"memory/store/req".*"${hash}"`));
  expect(await lines()).not.toContain("diary");
});
