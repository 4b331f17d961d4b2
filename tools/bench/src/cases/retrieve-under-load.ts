import { fileURLToPath } from "node:url";
import type { MemoryClient } from "@membus/agent-client";
import { sampleEntries, sampleQueries } from "../harness/dataset.js";
import { type BenchEnvironment, firstOutput } from "../harness/environment.js";
import { type Load, pairs, runLoad } from "../harness/load.js";
import { rateRatio, timeRatio } from "../harness/load-ratio.js";
import type { BenchResult } from "../harness/result.js";

const WRITERS = fileURLToPath(new URL("../writers.js", import.meta.url));
const ROUNDS = 5;
const QUERIES = 100;
const IN_FLIGHT = 64;
const SINGLE_STORES = 1_000;

interface Measured {
  readonly environment: BenchEnvironment;
  readonly client: MemoryClient;
  readonly name: string;
}

/** Measures retrieves during other work, against undisturbed retrieves. */
export async function loadRatios(measured: Measured): Promise<BenchResult[]> {
  const { client, name } = measured;
  const queries = sampleQueries(QUERIES);
  const retrieves = (inFlight: number) =>
    runLoad(QUERIES, inFlight, (index) =>
      client.retrieve({ query: queries[index]!, tier: "episodic", limit: 10 }),
    );
  const sequential = () => retrieves(1);
  await sequential();
  const concurrent = await pairs(ROUNDS, () => retrieves(16), sequential);
  const writing = await pairs(
    ROUNDS,
    (round) => withWriters(measured, `beside-${round}`, sequential),
    sequential,
  );
  const stored = await pairs(
    ROUNDS,
    async (round) => {
      await storeSingly(client, `stored-${round}`, SINGLE_STORES);
      return sequential();
    },
    sequential,
  );
  return [
    rateRatio(`${name}-x16`, concurrent, {
      title: "top 10 hybrid, 16 in flight, relative to sequential",
      goal: 1,
    }),
    timeRatio(`${name}-writers`, writing, {
      title: "top 10 hybrid with 64 concurrent writers, relative to no writers",
      goal: 3,
    }),
    timeRatio(`${name}-stored`, stored, {
      title: "right after 1,000 single stores, relative to before",
      goal: 1.2,
    }),
  ];
}

async function storeSingly(client: MemoryClient, run: string, count: number): Promise<void> {
  const entries = sampleEntries(count, 3);
  await runLoad(count, IN_FLIGHT, (index) => {
    const { content } = entries[index]!;
    return client.store({ key: { run, index }, content, tier: "episodic" });
  });
}

async function withWriters(
  { environment, name }: Measured,
  run: string,
  retrieves: () => Promise<Load>,
): Promise<Load> {
  const writers = environment.startScript(WRITERS, [name, run]);
  await firstOutput(writers);
  const load = await retrieves();
  await environment.end(writers);
  return load;
}
