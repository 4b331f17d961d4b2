import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import type { TestRetrieve, TestStoreEntry } from "../../kit/test/kit-requests.js";
import { ScriptedEmbedder } from "../../kit/test/scripted-embedder.js";
import { createLanceDbPlugin } from "../src/index.js";
import { listFiles, StorageFixture } from "./storage-fixture.js";

const DIMENSIONS = 16;
/** More than a filter may leave for all of them to be compared. */
const COUNT = 3_000;
const WORDS = ["river", "winter", "violin", "ticket", "budget", "kitten", "garden", "lesson", "wall", "Rome"];

const fixture = new StorageFixture();
const opened: MemoryPlugin[] = [];

async function open(directory: string, partitionVectorBytesMax?: number): Promise<MemoryPlugin> {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const kit = {
    flushIdleMs: 3_600_000,
    ...(partitionVectorBytesMax !== undefined && { partitionVectorBytesMax }),
  };
  const plugin = createLanceDbPlugin({ kit });
  const embedder = new ScriptedEmbedder("scripted/16", DIMENSIONS);
  await plugin.open!({
    tier: "episodic",
    clock: systemClock,
    logger,
    dataDirectory: directory,
    embedder,
    notify() {},
  });
  opened.push(plugin);
  return plugin;
}

const callsOf = (plugin: MemoryPlugin) => calls({ plugin, clock: systemClock });

/** Returns the entry of a number: some words that other entries share, and one that is unique. */
function entryOf(number: number): TestStoreEntry {
  const words = [number, number * 7 + 3, number * 13 + 1].map((at) => WORDS[(at + (at >> 3)) % WORDS.length]);
  return {
    key: `k${number}`,
    content: `${words.join(" ")} w${number % 500} unique${number}`,
    tags: [number % 100 === 0 ? "rare" : "usual", number % 3 === 0 ? "third" : "other"],
    occurred_at: 1_700_000_000 + number,
  };
}

const ENTRIES = Array.from({ length: COUNT }, (_, number) => entryOf(number));

let inRam: ReturnType<typeof callsOf>;
let onDisk: ReturnType<typeof callsOf>;
let disk: MemoryPlugin;
let directory: string;

beforeEach(async () => {
  directory = await fixture.directory();
  disk = await open(directory, 0);
  inRam = callsOf(await open(await fixture.directory()));
  onDisk = callsOf(disk);
});
afterEach(async () => {
  for (const plugin of opened.splice(0)) await plugin.close?.();
  await fixture.end();
});

async function storeAll(entries: readonly TestStoreEntry[] = ENTRIES): Promise<void> {
  for (let from = 0; from < entries.length; from += 500)
    for (const { store } of [inRam, onDisk]) await store(entries.slice(from, from + 500));
}

const pageOf = async (of: typeof inRam, request: TestRetrieve) => {
  const { entries, total, total_relation, approximate } = await of.retrieve({ limit: 10, ...request });
  return {
    found: entries.map(({ key, score, embedding }) => [key, score, embedding]),
    total,
    total_relation,
    approximate,
  };
};

async function expectSame(request: TestRetrieve): Promise<void> {
  const expected = await pageOf(inRam, request);
  expect(expected.found.length).toBeGreaterThan(0);
  expect(await pageOf(onDisk, request)).toEqual(expected);
}

const QUERIES = [
  "the violin lesson in Rome",
  "budget w17",
  "kitten",
  "unique1234",
  "winter river wall ticket",
];

describe("a partition without vectors in RAM", () => {
  it("answers exact queries like one in RAM: not flushed, flushed and after a restart", async () => {
    await storeAll();
    const compareAll = async () => {
      for (const query of QUERIES) {
        await expectSame({ query, exact: true });
        await expectSame({ query, exact: true, mode: "vector", min_score: 0.3 });
        await expectSame({ query, exact: true, order: "newest", min_score: 0.2 });
        await expectSame({ query, mode: "text" });
        await expectSame({ query, criteria: { tags: ["rare"] } });
        await expectSame({ query, criteria: { tags: ["third"] }, include: ["embedding"] });
      }
    };
    await compareAll();
    await disk.maintain!();
    await compareAll();
    await disk.close!();
    disk = await open(directory, 0);
    onDisk = callsOf(disk);
    await compareAll();
    await expectSame({ limit: 20 });
  });

  it("says that a large choice is approximate, and gives each found entry its exact score", async () => {
    await storeAll();
    await disk.maintain!();
    let overlap = 0;
    for (const query of QUERIES) {
      const exact = await pageOf(inRam, { query, limit: 1_000 });
      const scores = new Map(exact.found.map(([key, score]) => [JSON.stringify(key), score]));
      const page = await pageOf(onDisk, { query });
      expect(page).toMatchObject({ approximate: true, total_relation: "gte" });
      expect(page.total).toBeLessThanOrEqual(exact.total);
      for (const [key, score] of page.found) expect(score).toBe(scores.get(JSON.stringify(key)));
      const best = new Set(exact.found.slice(0, 10).map(([key]) => JSON.stringify(key)));
      overlap += page.found.filter(([key]) => best.has(JSON.stringify(key))).length / 10 / QUERIES.length;
    }
    expect(overlap).toBeGreaterThan(0.97);
  });

  it("finds the latest version of an entry at once, and never a forgotten one", async () => {
    await storeAll();
    await disk.maintain!();
    for (const { store, forget } of [inRam, onDisk]) {
      await store([
        { key: "k5", content: "a new sledge" },
        { key: "new", content: "another sledge" },
      ]);
      await forget({ keys: ["k7"] });
      await forget({ tags: ["rare"] });
    }
    await expectSame({ query: "sledge", exact: true });
    expect((await pageOf(onDisk, { query: "sledge" })).found.map(([key]) => key)).toEqual(
      (await pageOf(inRam, { query: "sledge" })).found.map(([key]) => key),
    );
    for (const query of ["unique7", "unique100"]) {
      const { found } = await pageOf(onDisk, { query, limit: 1_000 });
      expect(found.map(([key]) => JSON.stringify(key))).not.toContain(
        JSON.stringify({ name: query.replace("unique", "k") }),
      );
      await expectSame({ query, exact: true });
    }
  });

  it("keeps a vector that the caller gave, and recognises it", async () => {
    const embedding = Float32Array.from({ length: DIMENSIONS }, (_, index) => (index === 3 ? 1 : 0));
    await onDisk.store([{ key: "given", content: "text", embedding }]);
    await disk.maintain!();
    const again = await onDisk.store([{ key: "given", content: "text", embedding }]);
    expect(again.receipts[0]!.outcome).toBe("unchanged");
    await onDisk.store([{ key: "given", content: "text", tags: ["tagged"] }]);
    for (const flush of [() => undefined, () => disk.maintain!()]) {
      await flush();
      const [entry] = (await onDisk.retrieve({ embedding, include: ["embedding"] })).entries;
      expect(entry).toMatchObject({ tags: ["tagged"], embedding });
    }
  });

  it("chooses diverse entries, and explains similarities", async () => {
    await storeAll(ENTRIES.slice(0, 300));
    for (const query of QUERIES) {
      await expectSame({ query, diversity: 0.5 });
      const explained = async (of: typeof inRam) =>
        (await of.retrieve({ query, explain: true, limit: 5 })).entries.map(({ explain }) => explain);
      expect(await explained(onDisk)).toEqual(await explained(inRam));
    }
  });
});

describe("a partition that grows beyond the limit of its vectors", () => {
  it("is searched on disk from then on, with the same answers", async () => {
    const grown = await open(await fixture.directory(), 64 * 1024);
    onDisk = callsOf(grown);
    const sizes: number[] = [];
    for (let from = 0; from < 1_500; from += 100) {
      await storeAll(ENTRIES.slice(from, from + 100));
      await expectSame({ query: "violin lesson", exact: true });
      sizes.push(grown.stats!().partition_bytes as number);
    }
    expect(sizes.some((size, at) => at > 0 && size < sizes[at - 1]!)).toBe(true);
  });
});

describe("the index of vectors", () => {
  const isIndexed = (): unknown => disk.stats!().tables_open_vector_indexes;

  it("is built for a large table that was searched, and removed by a purge", async () => {
    const many = Array.from({ length: 17_000 }, (_, number) => entryOf(number));
    for (let from = 0; from < many.length; from += 1_000) await onDisk.store(many.slice(from, from + 1_000));
    await disk.maintain!();
    expect(isIndexed()).toBe(0);
    await onDisk.retrieve({ query: "violin" });
    await disk.maintain!();
    await disk.maintain!();
    expect(isIndexed()).toBe(1);
    for (const number of [100, 8_000, 16_999]) {
      const request = { query: String(entryOf(number).content), mode: "vector", limit: 1 } as const;
      const [found, exact] = [
        await pageOf(onDisk, request),
        await pageOf(onDisk, { ...request, exact: true }),
      ];
      expect([found.approximate, found.found]).toEqual([true, exact.found]);
    }
    const indexFiles = async () => (await listFiles(directory)).filter((path) => path.includes("_indices"));
    const before = await indexFiles();
    await onDisk.forget({ keys: ["k16999"] }, { purge: true });
    expect(isIndexed()).toBe(0);
    expect((await indexFiles()).filter((path) => before.includes(path))).toEqual([]);
    expect((await onDisk.retrieve({ query: "unique16999", criteria: { keys: ["k16999"] } })).total).toBe(0);
    await disk.maintain!();
    expect(isIndexed()).toBe(0);
    await onDisk.retrieve({ query: "violin" });
    await disk.maintain!();
    expect(isIndexed()).toBe(1);
  });
});
