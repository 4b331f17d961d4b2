import { fileURLToPath } from "node:url";
import type { MemoryClient } from "@membus/agent-client";
import { sampleEntries, sampleQueries } from "../harness/dataset.js";
import { type BenchEnvironment, firstOutput } from "../harness/environment.js";
import { type Load, median, pairs, runLoad } from "../harness/load.js";
import { type BenchResult, benchResult } from "../harness/result.js";

const WRITERS = fileURLToPath(new URL("../writers.js", import.meta.url));
const ROUNDS = 5;
const QUERIES = 100;
const IN_FLIGHT = 64;
const SINGLE_STORES = 1_000;

interface Subject {
  readonly environment: BenchEnvironment;
  readonly client: MemoryClient;
  readonly name: string;
}

/** Retrieves beside other work, against the same retrieves undisturbed. */
export async function undisturbedRatios(subject: Subject): Promise<BenchResult[]> {
  const { client, name } = subject;
  const queries = sampleQueries(QUERIES);
  const retrieves = (inFlight: number) =>
    runLoad(QUERIES, inFlight, (index) =>
      client.retrieve({ query: queries[index]!, tier: "episodic", limit: 10 }),
    );
  const alone = () => retrieves(1);
  await alone();
  const concurrent = await pairs(ROUNDS, () => retrieves(16), alone);
  const writing = await pairs(ROUNDS, (round) => besideWriters(subject, `beside-${round}`, alone), alone);
  const before = await alone();
  await storeSingly(client, `${name}-after`, SINGLE_STORES);
  const after = await alone();
  return [
    throughput(`${name}-x16`, concurrent),
    times(`${name}-writers`, writing, "top 10 hybrid beside 64 writers, against alone", 3),
    times(
      `${name}-stored`,
      [{ ours: after, raw: before }],
      "right after 1,000 single stores, against before",
      1.2,
    ),
  ];
}

async function storeSingly(client: MemoryClient, run: string, count: number): Promise<void> {
  const entries = sampleEntries(count, 3);
  await runLoad(count, IN_FLIGHT, (index) => {
    const { content } = entries[index]!;
    return client.store({ key: { run, index }, content, tier: "episodic" });
  });
}

async function besideWriters(
  { environment, name }: Subject,
  run: string,
  retrieves: () => Promise<Load>,
): Promise<Load> {
  const writers = environment.startScript(WRITERS, [name, run]);
  await firstOutput(writers);
  const load = await retrieves();
  await environment.end(writers);
  return load;
}

type LoadPair = { readonly ours: Load; readonly raw: Load };

function throughput(id: string, results: readonly LoadPair[]): BenchResult {
  const rate = (side: "ours" | "raw") =>
    `${Math.round(median(results.map((pair) => pair[side].perSecond)))}/s`;
  const ratio = median(results.map((pair) => pair.ours.perSecond / pair.raw.perSecond));
  const title = "top 10 hybrid, 16 in flight, against one after the other";
  return benchResult(id, { ratio, title, ours: rate("ours"), raw: rate("raw") }, ["at least", 1]);
}

function times(id: string, results: readonly LoadPair[], title: string, goal: number): BenchResult {
  const p50 = (side: "ours" | "raw") => `${median(results.map((pair) => pair[side].p50)).toFixed(2)} ms`;
  const ratio = median(results.map((pair) => pair.ours.p50 / pair.raw.p50));
  return benchResult(id, { ratio, title, ours: p50("ours"), raw: p50("raw") }, ["at most", goal]);
}
