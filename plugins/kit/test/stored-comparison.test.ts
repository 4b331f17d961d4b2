import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";
import { otherAnalyzer } from "./other-analyzer.js";

/** More than a filter may leave for all of them to be compared. */
const MANY = 2_100;

/** A kit without vectors in RAM, with flushed entries. */
async function openKit(count: number) {
  const kit = await TestKit.open({ options: { partitionVectorBytesMax: 0 } });
  const of = calls(kit);
  const entries = Array.from({ length: count }, (_, at) => ({
    key: `k${at}`,
    content: `number ${at} of many`,
  }));
  for (let from = 0; from < count; from += 500) await of.store(entries.slice(from, from + 500));
  await kit.flush();
  return { kit, ...of };
}

/** Runs a task while the next search of the storage waits. */
function duringSearch({ storage }: TestKit, task: () => Promise<unknown>): void {
  const { vectors } = storage;
  const search = vectors.nearest;
  vectors.nearest = async (...args) => {
    vectors.nearest = search;
    await task();
    return search(...args);
  };
}

const QUERY = { query: "a violin lesson", mode: "vector", limit: 1 } as const;
const names = ({ entries }: Awaited<ReturnType<ReturnType<typeof calls>["retrieve"]>>) =>
  entries.map(({ key }) => (key as { name: string }).name);

describe("a search of vectors on disk", () => {
  it("finds an entry that is stored or replaced during the search", async () => {
    const { kit, store, retrieve } = await openKit(MANY);
    duringSearch(kit, () => store([{ key: "k7", content: "a violin lesson" }]));
    const found = await retrieve(QUERY);
    expect([names(found), found.approximate]).toEqual([["k7"], true]);
    duringSearch(kit, () => store([{ key: "new", content: "a violin lesson", importance: 0.9 }]));
    expect(names(await retrieve({ ...QUERY, limit: 2 }))).toEqual(["k7", "new"]);
  });

  it("does not find an entry that is forgotten during the search", async () => {
    const { kit, store, forget, retrieve } = await openKit(MANY);
    await store([{ key: "gone", content: "a violin lesson" }]);
    await kit.flush();
    expect(names(await retrieve(QUERY))).toEqual(["gone"]);
    duringSearch(kit, () => forget({ keys: ["gone"] }));
    expect(names(await retrieve(QUERY))).not.toContain("gone");
  });

  it("refuses an exact answer while each look at new entries finds another one", async () => {
    const { kit, store, retrieve } = await openKit(10);
    let count = 0;
    const storeAnother = async () => {
      await store([{ key: `later ${count++}`, content: "a violin" }]);
      await kit.flush();
    };
    const { vectors } = kit.storage;
    const { read, readAll } = vectors;
    vectors.readAll = async (...args) => {
      await readAll(...args);
      await storeAnother();
    };
    vectors.read = async (...args) => {
      await storeAnother();
      return read(...args);
    };
    await expect(retrieve({ ...QUERY, exact: true })).rejects.toMatchObject({
      code: "unavailable",
      detail: { reason: "changing" },
    });
    expect((await retrieve(QUERY)).approximate).toBe(true);
    Object.assign(vectors, { read, readAll });
    const found = names(await retrieve({ ...QUERY, exact: true, limit: 100 }));
    expect(found.filter((name) => name.startsWith("later"))).toHaveLength(count);
  });

  it("fails if storage fails, and answers again afterwards", async () => {
    const { kit, retrieve } = await openKit(MANY);
    duringSearch(kit, () => Promise.reject(new Error("the disk failed")));
    await expect(retrieve(QUERY)).rejects.toThrow("the disk failed");
    expect((await retrieve(QUERY)).entries).toHaveLength(1);
  });
});

describe("a changed analyzer", () => {
  it("keeps the vectors of entries that have none in RAM", async () => {
    const { kit, retrieve } = await openKit(20);
    const vectors = async () =>
      (await retrieve({ include: ["embedding"] })).entries.map(({ key, embedding }) => [key, embedding]);
    const before = await vectors();
    await kit.change({ analyzer: otherAnalyzer });
    await kit.reindexed();
    await kit.flush();
    expect(await vectors()).toEqual(before);
    const rows = [...kit.storage.rows.values()].flat();
    expect(new Set(rows.map(({ analyzer }) => analyzer))).toEqual(new Set(["other-1"]));
  });
});
