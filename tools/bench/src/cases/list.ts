import { MemoryClient } from "@membus/agent-client";
import { sampleEntries } from "../harness/dataset.js";
import type { BenchEnvironment } from "../harness/environment.js";
import { pairs, runLoad } from "../harness/load.js";
import { timeRatio } from "../harness/load-ratio.js";
import type { BenchResult } from "../harness/result.js";

const NAME = "list";
const ENTRIES = 100_000;
const BATCH = 1_000;
const ROUNDS = 5;
const CALLS = 100;

/** Number of distinct values of each listed field. */
const FIELDS = { tags: 100, "metadata.topic": 1_500 } as const;

/** Measures a list of a field against a retrieve that only counts the same entries. */
export async function benchList(environment: BenchEnvironment): Promise<BenchResult[]> {
  await environment.startHost({ name: NAME, args: ["--durability", "process"] });
  const client = await MemoryClient.connect({ servers: environment.url, agent: NAME, timeoutMs: 60_000 });
  await fill(client);
  const results: BenchResult[] = [];
  for (const [field, count] of Object.entries(FIELDS)) results.push(await against(client, field, count));
  await client.close();
  return results;
}

async function fill(client: MemoryClient): Promise<void> {
  const contents = sampleEntries(BATCH);
  await runLoad(ENTRIES / BATCH, 4, async (batch) => {
    const entries = contents.map(({ content }, at) => {
      const index = batch * BATCH + at;
      const metadata = { topic: `topic ${index % FIELDS["metadata.topic"]}` };
      return {
        key: { index },
        content,
        metadata,
        tags: [`tag ${index % FIELDS.tags}`],
        tier: "episodic" as const,
      };
    });
    await client.store(entries, { ack: "queued" });
  });
}

async function against(client: MemoryClient, field: string, count: number): Promise<BenchResult> {
  const list = async () => {
    const { total } = await client.list({ field, tier: "episodic" });
    if (total !== count) throw new Error(`expected ${count} values, got ${total}`);
  };
  const retrieve = async () => {
    const { total } = await client.retrieve({ tier: "episodic", limit: 0 });
    if (total !== ENTRIES) throw new Error(`expected ${ENTRIES} entries, got ${total}`);
  };
  await list();
  const measured = await pairs(
    ROUNDS,
    () => runLoad(CALLS, 1, list),
    () => runLoad(CALLS, 1, retrieve),
  );
  const title = `list of ${count} values of ${ENTRIES.toLocaleString("en")} entries, relative to a retrieve with limit 0`;
  return timeRatio(`list-${count}`, measured, { title, goal: 2 });
}
