import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { mappingLines } from "@membus/cluster/routing";
import { EPISODIC } from "../../../../cluster/test/history/history-client.js";
import { MemoryHistory } from "../../../../cluster/test/history/memory-history.js";
import { endOnSignal } from "../../../../tools/bench/src/harness/end-on-signal.js";
import { Chance } from "../../crash/kill-loop/chance.js";
import { runSoakCommand } from "../../crash/soak-command.js";
import { ClusterStage } from "../cluster-stage.js";
import { type Fault, LEASE_MS, SHARD_COUNT } from "./fault.js";
import { endlessFaults } from "./faults.js";
import { type ClusterSoakFlags, HELP, readClusterSoakFlags } from "./flags.js";
import { PACKET_FAULTS, preparePacketLoss } from "./packet-faults.js";
import { refuseForMinutes } from "./store-faults.js";

const TENANTS = Array.from({ length: 8 }, (_, index) => `tenant-${index}`);
/** Time in which a call must succeed, whatever happens. */
const RETRY_MS = 180_000;
/** Clients of each tenant, which call its memory at the same time. */
const CLIENTS = 2;
/** About what a request to an object store takes. */
const STORE_LATENCY_MS = 15;
/** Rows wait for a minute by default. Earlier flushes meet more faults of the store. */
const FLUSH_MS = [300, 3_000, 60_000];

const note = (line: string) => process.stderr.write(`${line}\n`);

async function soak(flags: ClusterSoakFlags): Promise<void> {
  const { minutes, faults, seed, hosts, outageMinutes, losesPackets, purges, plant } = flags;
  if (losesPackets) await preparePacketLoss();
  const chance = new Chance(seed);
  const flushMs = chance.one(FLUSH_MS);
  const duration = faults === undefined ? `${minutes} minutes` : `${faults} faults`;
  note(`${duration}, ${hosts} hosts, rows are flushed after ${flushMs} ms, seed ${seed}`);
  const stage = await ClusterStage.open({ config: mappingLines("a2e", SHARD_COUNT), hasLinks: true });
  stage.s3.latencyMs = STORE_LATENCY_MS;
  writeFileSync(join(stage.folder, "membus.yaml"), `kit: { flushIdleMs: ${flushMs} }\n`);
  let keep = true;
  const takeBack = endOnSignal(() => stage.close({ keep }));
  try {
    await startHosts(stage, hosts);
    const retryTimeoutMs = RETRY_MS + outageMinutes * 60_000;
    const agents = await Promise.all(
      TENANTS.map((tenant) => connectClients(stage, { tenant, retryTimeoutMs })),
    );
    const histories = agents.map((clients) => new MemoryHistory(clients, chance.branch(), { purges }));
    const endsAt = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
    for (const history of histories) history.start();
    const outages = outageMinutes === 0 ? [] : [refuseForMinutes(outageMinutes)];
    const first = [...outages, ...(losesPackets ? PACKET_FAULTS : [])];
    await makeFaults(stage, histories, {
      chance,
      first,
      endsAt,
      countMax: faults ?? Number.POSITIVE_INFINITY,
    });
    if (plant) await agents[0]![0]!.forget({ all: true, ...EPISODIC });
    const problems = await problemsOf(histories);
    for (const problem of problems) note(problem);
    process.stdout.write(`${answeredCount(histories)} calls, ${problems.length} problems\n`);
    keep = problems.length > 0 && !plant;
    process.exitCode = problems.length > 0 === plant ? 0 : 1;
    await Promise.all(agents.flat().map((agent) => agent.close()));
  } finally {
    takeBack();
    if (keep) await report(stage);
    await stage.close({ keep });
  }
}

/** Shows the state of the cluster, for a run that found problems or did not go on. */
async function report(stage: ClusterStage): Promise<void> {
  const { stdout, stderr } = await stage.cli("cluster", "status");
  note(`${stdout}${stderr}the logs of the hosts are kept in ${stage.folder}`);
}

async function startHosts(stage: ClusterStage, count: number): Promise<void> {
  const flags = ["--store", "s3://bucket/memory", "--shards", String(SHARD_COUNT)];
  await stage.ok("cluster", "init", ...flags, "--lease-ms", String(LEASE_MS));
  for (const name of "abcdefghi".slice(0, count)) await stage.start(name);
}

interface FaultPlan {
  readonly chance: Chance;
  readonly first: readonly Fault[];
  readonly endsAt: number;
  readonly countMax: number;
}

async function makeFaults(
  stage: ClusterStage,
  histories: readonly MemoryHistory[],
  { chance, first, endsAt, countMax }: FaultPlan,
): Promise<void> {
  let count = 0;
  for (const fault of endlessFaults(chance, first)) {
    if (count >= countMax || Date.now() >= endsAt) return;
    count += 1;
    const what = await fault(stage, chance);
    note(`${count}: ${what}, ${answeredCount(histories)} calls`);
    await Promise.all(histories.map((history) => history.goOn()));
  }
}

function connectClients(
  stage: ClusterStage,
  options: { readonly tenant: string; readonly retryTimeoutMs: number },
): Promise<MemoryClient[]> {
  const connect = () =>
    MemoryClient.connect({ servers: [...stage.urls], agent: "alice", timeoutMs: 5_000, ...options });
  return Promise.all(Array.from({ length: CLIENTS }, connect));
}

const answeredCount = (histories: readonly MemoryHistory[]) =>
  histories.reduce((sum, history) => sum + history.answeredCount, 0);

/** Checks the histories of all tenants. */
async function problemsOf(histories: readonly MemoryHistory[]): Promise<string[]> {
  const problems = await Promise.all(histories.map((history) => history.problems()));
  return problems.flatMap((ofTenant, at) => ofTenant.map((problem) => `${TENANTS[at]}: ${problem}`));
}

await runSoakCommand(process.argv.slice(2), { help: HELP, readFlags: readClusterSoakFlags, run: soak });
