import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { open } from "./adapter.mjs";

/**
 * The work of every system: stores entries one after the other, then runs 100 queries with ten results each.
 */
const QUERIES = 100;
const fromRoot = (path) => import(pathToFileURL(join(process.env.MEMBUS_ROOT, path)).href);
const { sampleEntries, sampleQueries } = await fromRoot("tools/bench/dist/harness/dataset.js");
const { createStaticEmbedder } = await fromRoot("plugins/embeddings/dist/index.js");

const embedder = createStaticEmbedder();
const embed = async (texts) => (await embedder.embed(texts, "document")).map((vector) => Array.from(vector));
const system = await open({ embed, dimensions: embedder.dimensions, directory: process.cwd() });
const entries = sampleEntries(Number(process.argv[2]));
const storing = await timed(entries, (entry) => system.store(entry.key.id, entry.content));
const searching = await timed(sampleQueries(QUERIES), (query) => system.search(query, 10));
await system.close();
const total = storing.reduce((sum, time) => sum + time, 0);
const sorted = searching.toSorted((a, b) => a - b);
const p50 = sorted[Math.floor(QUERIES * 0.5)];
const p99 = sorted[Math.floor(QUERIES * 0.99)];
process.stdout.write(`\n${JSON.stringify({ storesPerSecond: (1000 * entries.length) / total, p50, p99 })}\n`);
process.exit(0);

/** Returns the milliseconds of each call, one after the other. */
async function timed(values, operation) {
  const times = [];
  for (const value of values) {
    const startedAt = performance.now();
    await operation(value);
    times.push(performance.now() - startedAt);
  }
  return times;
}
