import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MemoryClient } from "@membus/agent-client";
import { sampleEntries, sampleQueries } from "../harness/dataset.js";
import type { BenchEnvironment } from "../harness/environment.js";
import { fillEpisodic } from "../harness/fill.js";
import { milliseconds, pairs, runLoad } from "../harness/load.js";
import { secondsRatio } from "../harness/load-ratio.js";
import { residentMiB } from "../harness/resident.js";
import type { BenchResult } from "../harness/result.js";

const COUNT = 100_000;
const ROUNDS = 5;
const AGENT = "open";
const READER = fileURLToPath(new URL("../bare-reader.js", import.meta.url));
/** Columns from which a partition is loaded: all except the contents. */
const COLUMNS = [
  ...[
    "row_id",
    "key_hash",
    "revision",
    "seq",
    "created",
    "updated",
    "occurred_at",
    "expires_at",
    "importance",
  ],
  ...["group", "facets", "terms", "embedder", "vector"],
];

/**
 * Measures the time from process start to the first answer over 100,000 entries, against a process that only
 * reads the same columns.
 */
export async function benchOpen(environment: BenchEnvironment): Promise<BenchResult[]> {
  await fill(environment);
  const results = await pairs(
    ROUNDS,
    () => startToAnswer(environment),
    () => readColumns(environment),
  );
  process.stderr.write(`host RSS after 1000 retrieves: ${await residentAfterUse(environment)} MiB\n`);
  const title = "start on 100,000 entries to the first answer, relative to reading the same columns";
  return [secondsRatio("open-100k", results, { title, goal: 2 })];
}

async function fill(environment: BenchEnvironment): Promise<void> {
  const host = await environment.startHost({ name: "open", args: ["--durability", "process"] });
  const client = await fillEpisodic(environment.url, AGENT, sampleEntries(COUNT));
  await client.close();
  await environment.end(host);
}

async function startToAnswer(environment: BenchEnvironment): Promise<number> {
  const startedAt = milliseconds();
  const host = await environment.startHost({ name: "open" });
  const client = await MemoryClient.connect({ servers: environment.url, agent: AGENT, timeoutMs: 60_000 });
  const { entries } = await client.retrieve({ query: "garden meeting report", tier: "episodic", limit: 10 });
  const seconds = (milliseconds() - startedAt) / 1000;
  await client.close();
  await environment.end(host);
  if (entries.length !== 10) throw new Error(`expected 10 entries, got ${entries.length}`);
  return seconds;
}

async function readColumns(environment: BenchEnvironment): Promise<number> {
  const startedAt = milliseconds();
  const scope = JSON.stringify(["episodic", "default", AGENT, null, "default"]);
  const directory = join(environment.directory, "open", "episodic", "table");
  const args = [READER, directory, "t_default", `scope = '${scope}'`, ...COLUMNS];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  const seconds = (milliseconds() - startedAt) / 1000;
  await once(child, "exit");
  if (Number(chunk.toString()) !== COUNT) throw new Error(`expected ${COUNT} rows, read ${chunk.toString()}`);
  return seconds;
}

async function residentAfterUse(environment: BenchEnvironment): Promise<number> {
  const host = await environment.startHost({ name: "open" });
  const client = await MemoryClient.connect({ servers: environment.url, agent: AGENT, timeoutMs: 60_000 });
  const queries = sampleQueries(1_000);
  await runLoad(1_000, 4, (index) => client.retrieve({ query: queries[index]!, tier: "episodic" }));
  const resident = await residentMiB(host);
  await client.close();
  await environment.end(host);
  return resident;
}
