import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { sampleEntries } from "../../../../tools/bench/src/harness/dataset.js";
import { storeEpisodic } from "../../../../tools/bench/src/harness/fill.js";
import { milliseconds } from "../../../../tools/bench/src/harness/load.js";
import { type BenchResult, benchResult } from "../../../../tools/bench/src/harness/result.js";
import { type Sides, waitForOwners } from "./sides.js";

const COUNT = 1_000;
const LATENCY_MS = 15;

/** Counts the requests to a slow object store of the first search in a namespace that is not in RAM. */
export async function benchCold({ stage }: Sides): Promise<BenchResult[]> {
  const connect = () =>
    MemoryClient.connect({ servers: [...stage.urls], tenant: "cold", agent: "cold", timeoutMs: 60_000 });
  await stage.start("a");
  const writer = await connect();
  await storeEpisodic(writer, sampleEntries(COUNT));
  await writer.close();
  await stage.endAll("SIGTERM");
  // Else the host loads the namespace before it is asked for.
  await writeFile(join(stage.folder, "preload.yaml"), "kit: { preloadCount: 0 }");
  await stage.start("a", "--config", "preload.yaml");
  await waitForOwners(stage);
  const reader = await connect();
  stage.s3.latencyMs = LATENCY_MS;
  const [before, startedAt] = [stage.s3.requestCount, milliseconds()];
  const { entries } = await reader.retrieve({ query: "garden meeting report", tier: "episodic", limit: 10 });
  const [count, ms] = [stage.s3.requestCount - before, milliseconds() - startedAt];
  stage.s3.latencyMs = 0;
  if (entries.length !== 10) throw new Error(`expected 10 entries, got ${entries.length}`);
  await reader.close();
  await stage.endAll("SIGTERM");
  const title = `requests to a store with ${LATENCY_MS} ms for the first search in ${COUNT} entries`;
  return [
    benchResult("cold", { ratio: count, title, ours: `${Math.round(ms)} ms`, raw: "-" }, ["at most", 20]),
  ];
}
