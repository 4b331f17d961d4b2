import type { MemoryClient } from "@membus/agent-client";
import { sampleEntries, sampleQueries } from "../harness/dataset.js";
import type { BenchEnvironment } from "../harness/environment.js";
import { fillEpisodic } from "../harness/fill.js";
import { type Load, pairs, runLoad } from "../harness/load.js";
import { timeRatio } from "../harness/load-ratio.js";
import { openRawHybrid, type RawHybrid } from "../harness/raw-hybrid.js";
import type { BenchResult } from "../harness/result.js";

const ROUNDS = 7;
const QUERIES = 150;

/**
 * Measures the top ten hybrid results over NATS against LanceDB's hybrid search in process on the same rows.
 */
export async function benchHybrid(environment: BenchEnvironment): Promise<BenchResult[]> {
  const host = await environment.startHost({ name: "hybrid" });
  try {
    const small = await measure(environment, { id: "hybrid-1k", count: 1_000, goal: 1 });
    const large = await measure(environment, { id: "hybrid-10k", count: 10_000, goal: 0.6 });
    return [...small, ...large];
  } finally {
    await environment.end(host);
  }
}

interface Case {
  readonly id: string;
  readonly count: number;
  readonly goal: number;
}

async function measure(environment: BenchEnvironment, { id, count, goal }: Case): Promise<BenchResult[]> {
  const entries = sampleEntries(count);
  const client = await fillEpisodic(environment.url, id, entries);
  const raw = await openRawHybrid(`${environment.directory}/${id}`, entries);
  const queries = sampleQueries(QUERIES);
  const ours = () => runLoad(QUERIES, 1, (index) => topTen(client, queries[index]!));
  const flat = () => runLoad(QUERIES, 1, (index) => raw.topTen(queries[index]!));
  await ours();
  await flat();
  const exact = await pairs(ROUNDS, ours, flat);
  const title = `top 10 hybrid of ${count} over NATS, relative to LanceDB in process`;
  const results = [timeRatio(id, exact, { title, goal })];
  if (count >= 10_000) results.push(await againstIndex(raw, ours, flat));
  await raw.close();
  await client.close();
  return results;
}

async function againstIndex(
  raw: RawHybrid,
  ours: () => Promise<Load>,
  indexed: () => Promise<Load>,
): Promise<BenchResult> {
  await raw.indexVectors();
  await indexed();
  const results = await pairs(ROUNDS, ours, indexed);
  return timeRatio("hybrid-hnsw", results, { title: "the same, relative to LanceDB with an HNSW index" });
}

async function topTen(client: MemoryClient, query: string): Promise<void> {
  const { entries } = await client.retrieve({ query, tier: "episodic", limit: 10 });
  if (entries.length !== 10) throw new Error(`expected 10 entries for ${query}, got ${entries.length}`);
}
