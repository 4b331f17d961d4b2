import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MemoryClient } from "@membus/agent-client";
import { mappingLines } from "@membus/cluster/routing";
import { EPISODIC, Writer } from "../../../../cluster/test/number-writer.js";
import { endOnSignal } from "../../../../tools/bench/src/harness/end-on-signal.js";
import { Chance } from "../../crash/kill-loop/chance.js";
import { runSoakCommand } from "../../crash/soak-command.js";
import { ClusterStage } from "../cluster-stage.js";
import { LEASE_MS, SHARD_COUNT } from "./fault.js";
import { endlessFaults } from "./faults.js";
import { type ClusterSoakFlags, HELP, readClusterSoakFlags } from "./flags.js";

const TENANTS = Array.from({ length: 8 }, (_, index) => `tenant-${index}`);
/** Time in which all agents must have gone on after a fault. */
const PROGRESS_MS = 180_000;
const STORES_AFTER_FAULT = 20;
/** Rows wait for a minute by default. Earlier flushes meet more faults of the store. */
const FLUSH_MS = [300, 3_000, 60_000];

const note = (line: string) => process.stderr.write(`${line}\n`);

async function soak({ minutes, faults, seed, hosts, plant }: ClusterSoakFlags): Promise<void> {
  const chance = new Chance(seed);
  const flushMs = chance.one(FLUSH_MS);
  const duration = faults === undefined ? `${minutes} minutes` : `${faults} faults`;
  note(`${duration}, ${hosts} hosts, rows are flushed after ${flushMs} ms, seed ${seed}`);
  const stage = await ClusterStage.open({ config: mappingLines("a2e", SHARD_COUNT), hasLinks: true });
  writeFileSync(join(stage.folder, "membus.yaml"), `kit: { flushIdleMs: ${flushMs} }\n`);
  let keep = true;
  const takeBack = endOnSignal(() => stage.close({ keep }));
  try {
    await startHosts(stage, hosts);
    const agents = await Promise.all(TENANTS.map((tenant) => connect(stage, tenant)));
    const writers = agents.map((agent) => new Writer(agent));
    const endsAt = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
    // A request that fails for good ends the soak.
    await Promise.race([
      makeFaults(stage, writers, { chance, endsAt, countMax: faults ?? Number.POSITIVE_INFINITY }),
      ...writers.map(({ running }) => running),
    ]);
    if (plant) await agents[0]!.forget({ keys: ["k0"], ...EPISODIC });
    const problems = await problemsOf(writers);
    for (const problem of problems) note(problem);
    process.stdout.write(`${storedCount(writers)} acknowledged stores, ${problems.length} problems\n`);
    keep = problems.length > 0 && !plant;
    process.exitCode = problems.length > 0 === plant ? 0 : 1;
    await Promise.all(agents.map((agent) => agent.close()));
  } finally {
    takeBack();
    if (keep) note(`the logs of the hosts are kept in ${stage.folder}`);
    await stage.close({ keep });
  }
}

async function startHosts(stage: ClusterStage, count: number): Promise<void> {
  const flags = ["--store", "s3://bucket/memory", "--shards", String(SHARD_COUNT)];
  await stage.ok("cluster", "init", ...flags, "--lease-ms", String(LEASE_MS));
  for (const name of "abcdefghi".slice(0, count)) await stage.start(name);
}

interface Duration {
  readonly endsAt: number;
  readonly countMax: number;
}

async function makeFaults(
  stage: ClusterStage,
  writers: readonly Writer[],
  { chance, endsAt, countMax }: Duration & { readonly chance: Chance },
): Promise<void> {
  let count = 0;
  for (const fault of endlessFaults(chance)) {
    if (count >= countMax || Date.now() >= endsAt) return;
    count += 1;
    const what = await fault(stage, chance);
    note(`${count}: ${what}, ${storedCount(writers)} stores`);
    await goOn(writers);
  }
}

function connect(stage: ClusterStage, tenant: string): Promise<MemoryClient> {
  const servers = [...stage.urls];
  return MemoryClient.connect({
    servers,
    tenant,
    agent: "alice",
    timeoutMs: 5_000,
    retryTimeoutMs: PROGRESS_MS,
  });
}

const storedCount = (writers: readonly Writer[]) =>
  writers.reduce((sum, writer) => sum + writer.storedCount, 0);

/** Waits until every agent has stored more. */
async function goOn(writers: readonly Writer[]): Promise<void> {
  const before = writers.map((writer) => writer.storedCount);
  const endsAt = Date.now() + PROGRESS_MS;
  while (writers.some((writer, at) => writer.storedCount < before[at]! + STORES_AFTER_FAULT)) {
    if (Date.now() > endsAt) throw new Error("an agent did not go on after a fault");
    await sleep(100);
  }
}

/** Compares the memory of every agent with its acknowledged requests. */
async function problemsOf(writers: readonly Writer[]): Promise<string[]> {
  const problems: string[] = [];
  for (const [at, writer] of writers.entries()) {
    const [kept, found] = [await writer.stop(), await writer.found()];
    const lost = kept.filter((number) => !found.includes(number));
    const surplus = found.filter((number, index) => !kept.includes(number) || found[index - 1] === number);
    if (lost.length > 0) problems.push(`${TENANTS[at]} lacks ${lost.join(", ")}`);
    if (surplus.length > 0) problems.push(`${TENANTS[at]} has forgotten or doubled ${surplus.join(", ")}`);
    if (writer.unread.length > 0) problems.push(`${TENANTS[at]} read too early: ${writer.unread.join(", ")}`);
  }
  return problems;
}

await runSoakCommand(process.argv.slice(2), { help: HELP, readFlags: readClusterSoakFlags, run: soak });
