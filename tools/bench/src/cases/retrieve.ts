import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MemoryClient } from "@membus/agent-client";
import type { Embedder } from "@membus/protocol/plugin";
import { sampleEntries, sampleQueries } from "../harness/dataset.js";
import { openEmbedding } from "../harness/embedding.js";
import type { BenchEnvironment } from "../harness/environment.js";
import { fillEpisodic, untilEmbedded } from "../harness/fill.js";
import { milliseconds, pairs, runLoad } from "../harness/load.js";
import { timeRatio } from "../harness/load-ratio.js";
import { openRawHybrid, type RawHybrid } from "../harness/raw-hybrid.js";
import { residentMiB } from "../harness/resident.js";
import type { BenchResult } from "../harness/result.js";
import { withShares } from "../harness/shares.js";
import { echoRatio } from "./retrieve-echo.js";
import { loadRatios } from "./retrieve-under-load.js";

const ROUNDS = 5;
const QUERIES = 100;
const WARM_UP_QUERIES = 1_000;

/** Sizes, and the maximum ratio of a plain retrieve to LanceDB. */
const GOALS: readonly (readonly [count: number, goal: number | undefined])[] = [
  [1_000, undefined],
  [10_000, 0.4],
  [100_000, 0.8],
  [1_000_000, 1.3],
];

/**
 * Measures the top ten results of a partition for every kind of query over NATS, against LanceDB on the same
 * rows.
 */
export async function benchRetrieve(
  environment: BenchEnvironment,
  { entriesMax: countMax, dimensions }: { readonly entriesMax: number; readonly dimensions: number },
): Promise<BenchResult[]> {
  const config = join(environment.directory, "membus.yaml");
  const { embedder, settings, close } = await openEmbedding(dimensions);
  await writeFile(config, JSON.stringify({ embedder: settings }));
  const results: BenchResult[] = [];
  try {
    for (const [count, goal] of GOALS.filter(([size]) => size <= countMax)) {
      results.push(...(await measureSize(environment, { count, goal, config, embedder })));
    }
  } finally {
    await close();
  }
  return results;
}

interface Size {
  readonly count: number;
  readonly goal: number | undefined;
  /** Settings file of the host. */
  readonly config: string;
  /** The embedder in the settings. */
  readonly embedder: Embedder;
}

async function measureSize(
  environment: BenchEnvironment,
  { count, goal, config, embedder }: Size,
): Promise<BenchResult[]> {
  const name = `retrieve-${count >= 1_000_000 ? `${count / 1_000_000}m` : `${count / 1_000}k`}`;
  const entries = withShares(sampleEntries(count));
  const host = await environment.startHost({ name, args: ["--config", config] });
  try {
    const startedAt = milliseconds();
    const client = await fillEpisodic(environment.url, name, entries);
    await untilEmbedded(client);
    process.stderr.write(`${name}: stored in ${((milliseconds() - startedAt) / 1_000).toFixed(1)} s\n`);
    const raw = await openRawHybrid(`${environment.directory}/${name}-raw`, entries, embedder);
    await warmUp(client);
    const compared = await compareQueryKinds({ client, raw, count, name, goal });
    await raw.close();
    if (goal === undefined) compared.push(await echoRatio({ environment, client }, `${name}-echo`));
    const underLoad = await loadRatios({ environment, client, name });
    process.stderr.write(`${name}: host RSS ${await residentMiB(host)} MiB\n`);
    await client.close();
    return [...compared, ...underLoad];
  } finally {
    await environment.end(host);
  }
}

/** Warms up the host, because a fresh host is slower. */
async function warmUp(client: MemoryClient): Promise<void> {
  const queries = sampleQueries(WARM_UP_QUERIES);
  await runLoad(WARM_UP_QUERIES, 1, (index) =>
    client.retrieve({ query: queries[index]!, tier: "episodic", limit: 10 }),
  );
}

interface Measured {
  readonly client: MemoryClient;
  readonly raw: RawHybrid;
  readonly name: string;
  readonly count: number;
  readonly goal: number | undefined;
}

interface QueryKind {
  readonly id: string;
  readonly title: string;
  readonly goal?: number | undefined;
  ours(index: number): Promise<unknown>;
  raw(index: number): Promise<unknown>;
}

async function compareQueryKinds(measured: Measured): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const kind of queryKinds(measured)) {
    const ours = () => runLoad(QUERIES, 1, (index) => kind.ours(index));
    const raw = () => runLoad(QUERIES, 1, (index) => kind.raw(index));
    await ours();
    await raw();
    results.push(timeRatio(`${measured.name}-${kind.id}`, await pairs(ROUNDS, ours, raw), kind));
  }
  return results;
}

function queryKinds({ client, raw, count, goal }: Measured): QueryKind[] {
  const queries = sampleQueries(QUERIES);
  const ask = (index: number, tag?: string) => {
    const filter = tag === undefined ? {} : { tags: [tag] };
    return client.retrieve({ query: queries[index]!, tier: "episodic", limit: 10, ...filter });
  };
  const id = (index: number) => `entry-1-${Math.floor((index / QUERIES) * count)}`;
  const shared = (share: string): Pick<QueryKind, "ours" | "raw"> => ({
    ours: (index) => ask(index, share),
    raw: (index) => raw.topTen(queries[index]!, share),
  });
  const topTen = (index: number) => raw.topTen(queries[index]!);
  return [
    { id: "plain", title: "top 10 hybrid", goal, ours: (index) => ask(index), raw: topTen },
    { id: "filter-1", title: "the same for 1 % of the entries, by a tag", ...shared("one-percent") },
    { id: "filter-10", title: "the same for 10 % of the entries, by a tag", ...shared("ten-percent") },
    {
      id: "key",
      title: "one entry by its key, relative to an indexed id",
      ours: (index) => client.retrieve({ keys: [{ id: id(index) }], tier: "episodic" }),
      raw: (index) => raw.byKey(id(index)),
    },
    {
      id: "tag",
      title: "newest 10 with a tag, relative to LanceDB's top 10 hybrid",
      ours: () => client.retrieve({ tags: ["tag-7"], tier: "episodic", limit: 10 }),
      raw: topTen,
    },
    {
      id: "newest",
      title: "newest 10 of all, relative to LanceDB's top 10 hybrid",
      ours: () => client.retrieve({ order: "newest", tier: "episodic", limit: 10 }),
      raw: topTen,
    },
  ];
}
