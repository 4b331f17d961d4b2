import type { ChildProcess } from "node:child_process";
import { natsBusFromConnection } from "@membus/bus";
import { silentLogger, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { messageCounts } from "../../../../cluster/test/nats-cluster-fixture.js";
import { sampleEntries } from "../../../../tools/bench/src/harness/dataset.js";
import { type Load, pairs, runLoad } from "../../../../tools/bench/src/harness/load.js";
import { rateRatio } from "../../../../tools/bench/src/harness/load-ratio.js";
import { residentMiB } from "../../../../tools/bench/src/harness/resident.js";
import { type BenchResult, benchResult } from "../../../../tools/bench/src/harness/result.js";
import { checkStored, storePayloads } from "../../../../tools/bench/src/harness/store-payloads.js";
import type { ClusterStage } from "../cluster-stage.js";
import { type Sides, waitForOwners } from "./sides.js";

const ROUNDS = 5;
const COUNT = 6_400;
const TENANTS = 8;
const AGENTS = 96;

/** Measures stores of a host in a cluster against a host with a folder, and the requests that they cost. */
export async function benchStores({ stage, single }: Sides): Promise<BenchResult[]> {
  const folderHost = await single.startHost({ name: "single" });
  await stage.start("a");
  await waitForOwners(stage);
  const services = { logger: silentLogger, clock: systemClock };
  const bus = natsBusFromConnection(stage.nats.connection, {}, services);
  const before = await requestCounts(stage);
  const measure = async (id: string, count: number, inFlight: number, goal?: number) => {
    const load = (to: Bus) => () => storeAll(to, count, inFlight);
    await load(bus)();
    await load(single.bus)();
    const title = `single episodic stores of ${TENANTS} tenants, ${inFlight} in flight, relative to a host with a folder`;
    return rateRatio(id, await pairs(ROUNDS, load(bus), load(single.bus)), { title, goal });
  };
  const rates = [await measure("stores-x64", COUNT, 64, 0.35), await measure("stores-x4", COUNT / 8, 4)];
  const resident = await residentRatio(stage.host("a"), folderHost);
  await stage.endAll("SIGTERM");
  const stored = (ROUNDS + 1) * (COUNT + COUNT / 8);
  const costs = requestResults(before, await requestCounts(stage), stored);
  await bus.close();
  await single.end(folderHost);
  return [...rates, resident, ...costs];
}

let runs = 0;

function storeAll(bus: Bus, count: number, inFlight: number): Promise<Load> {
  const run = `run-${++runs}`;
  const payloads = storePayloads(sampleEntries(count), {
    tier: "episodic",
    agents: AGENTS,
    perRequest: 1,
    run,
  });
  return runLoad(count, inFlight, async (index) => {
    const { subject, payload } = payloads[index]!;
    const toTenant = subject.replace(".default.", `.tenant-${index % TENANTS}.`);
    checkStored((await bus.request(toTenant, payload, { timeoutMs: 60_000 })).payload, 1);
  });
}

async function residentRatio(ours: ChildProcess, raw: ChildProcess): Promise<BenchResult> {
  const [oursMiB, rawMiB] = [await residentMiB(ours), await residentMiB(raw)];
  const title = "RSS of the host after these stores, relative to the host with a folder";
  const shown = { ours: `${oursMiB} MiB`, raw: `${rawMiB} MiB`, title };
  return benchResult("stores-rss", { ratio: oursMiB / rawMiB, ...shown }, ["at most", 1.15]);
}

/** Numbers of requests and messages since the cluster exists. */
async function requestCounts({ nats, s3 }: ClusterStage) {
  let [records, groups] = [0, 0];
  for (const [name, count] of await messageCounts(nats)) {
    if (name.startsWith("KV_")) records += count;
    else groups += count;
  }
  return {
    "requests to the object store": s3.requestCount,
    "writes of records": records,
    "messages of the log": groups,
  };
}

type Counts = Awaited<ReturnType<typeof requestCounts>>;

function requestResults(before: Counts, after: Counts, stored: number): BenchResult[] {
  return (Object.keys(before) as (keyof Counts)[]).map((what, index) => {
    const count = after[what] - before[what];
    const ratio = count / (stored / 1_000);
    const shown = {
      ours: String(count),
      raw: `${stored} stores`,
      title: `${what} for 1,000 stores, with the flush at the end`,
    };
    return benchResult(`cost-${["s3", "kv", "log"][index]}`, { ratio, ...shown });
  });
}
