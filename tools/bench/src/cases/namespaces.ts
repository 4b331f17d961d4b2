import { MemoryClient } from "@membus/agent-client";
import { sampleEntries, sampleQueries } from "../harness/dataset.js";
import type { BenchEnvironment } from "../harness/environment.js";
import { storeEpisodic } from "../harness/fill.js";
import { milliseconds, pairs, runLoad } from "../harness/load.js";
import { secondsRatio, timeRatio } from "../harness/load-ratio.js";
import { residentMiB } from "../harness/resident.js";
import type { BenchResult } from "../harness/result.js";

const NAMESPACES = 10_000;
const ENTRIES = 100;
const ROUNDS = 3;
const TOUCHED = 50;
const FULL = "namespaces";
const QUERY = sampleQueries(1)[0]!;

/** Measures the start and the first access of a namespace. The host has many namespaces and uses few of them. */
export async function benchNamespaces(environment: BenchEnvironment): Promise<BenchResult[]> {
  await fill(environment);
  const starts = await pairs(
    ROUNDS,
    () => start(environment, FULL),
    () => start(environment, "nothing"),
  );
  const title = `start on ${NAMESPACES} namespaces of ${ENTRIES} entries, relative to an empty folder`;
  return [secondsRatio("namespaces", starts, { title }), await firstAccess(environment)];
}

async function fill(environment: BenchEnvironment): Promise<void> {
  const host = await environment.startHost({ name: FULL, args: ["--durability", "process"] });
  const client = await connect(environment);
  const entries = sampleEntries(ENTRIES);
  await runLoad(NAMESPACES, 4, (index) => storeEpisodic(client.inNamespace(`n/${index}`), entries));
  process.stderr.write(`host RSS after the stores: ${await residentMiB(host)} MiB\n`);
  await client.close();
  await environment.end(host);
}

/** Returns the seconds until the host serves. */
async function start(environment: BenchEnvironment, name: string): Promise<number> {
  const startedAt = milliseconds();
  const host = await environment.startHost({ name });
  const seconds = (milliseconds() - startedAt) / 1000;
  await environment.end(host);
  return seconds;
}

async function firstAccess(environment: BenchEnvironment): Promise<BenchResult> {
  const host = await environment.startHost({ name: FULL });
  const client = await connect(environment);
  const access = async (index: number) => {
    const namespace = client.inNamespace(`n/${index * Math.floor(NAMESPACES / TOUCHED)}`);
    const { entries } = await namespace.retrieve({ query: QUERY, tier: "episodic" });
    if (entries.length !== 10) throw new Error(`expected 10 entries, got ${entries.length}`);
  };
  const startedAt = milliseconds();
  // The very first query also loads languages and the embedder.
  await client.inNamespace("n/1").retrieve({ query: QUERY, tier: "episodic" });
  const firstQuery = milliseconds() - startedAt;
  const first = await runLoad(TOUCHED, 1, access);
  const again = await runLoad(TOUCHED, 1, access);
  const resident = await residentMiB(host);
  const times = `first query ${firstQuery.toFixed(1)} ms, slowest first access ${first.p99.toFixed(1)} ms`;
  process.stderr.write(`${times}; host RSS afterwards: ${resident} MiB\n`);
  await client.close();
  await environment.end(host);
  const title = "first access of a namespace, relative to a later access";
  return timeRatio("first-look", [{ ours: first, raw: again }], { title });
}

function connect({ url }: BenchEnvironment): Promise<MemoryClient> {
  return MemoryClient.connect({ servers: url, agent: FULL, timeoutMs: 60_000 });
}
