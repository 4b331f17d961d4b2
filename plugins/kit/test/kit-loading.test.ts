import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { Partition } from "../src/search/partition/partition.js";
import { changedStorage } from "./changed-storage.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

it("reports the progress of loading a partition", async () => {
  const seen: unknown[] = [];
  const note = (): void => {
    const { partitions_loading, rows_to_load, rows_loaded } = kit.plugin.stats();
    seen.push([partitions_loading, rows_to_load, rows_loaded]);
  };
  const kit = await TestKit.open({
    options: { preloadCount: 0 },
    wrapStorage: (storage) =>
      changedStorage(storage, {
        async load(scope, into) {
          const take = into.take.bind(into);
          await storage.load(scope, {
            reserve: (count) => into.reserve(count),
            take(rows) {
              take(rows);
              note();
            },
          });
        },
      }),
  });
  const { store, retrieve } = calls(kit);
  await store([{ key: "a" }, { key: "b" }, { key: "c" }]);
  await kit.flush();
  await kit.reopen();
  seen.length = 0;
  expect((await retrieve()).total).toBe(3);
  note();
  expect(seen).toEqual([
    [1, 3, 2],
    [1, 3, 3],
    [0, 0, 0],
  ]);
});

it("indexes words after a store without a query if many are not indexed", async () => {
  const kit = await TestKit.open();
  const { store } = calls(kit);
  const indexSome = vi.spyOn(Partition.prototype, "indexSome");
  const unindexedCount = vi.spyOn(Partition.prototype, "unindexedCount", "get");
  try {
    for (const [count, isIndexed] of [
      [65_536, false],
      [65_537, true],
    ] as const) {
      unindexedCount.mockReturnValue(count);
      await store([{ key: "a", content: String(count) }]);
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      expect(indexSome.mock.calls.length > 0).toBe(isIndexed);
    }
  } finally {
    indexSome.mockRestore();
    unindexedCount.mockRestore();
  }
});

it("stops indexing a partition when the tier is closed", async () => {
  const kit = await TestKit.open();
  const { store, retrieve } = calls(kit);
  await store([{ key: "a" }]);
  const indexSome = vi.spyOn(Partition.prototype, "indexSome").mockReturnValue(false);
  try {
    await retrieve({ query: "planet" });
    await nextTurn();
    await kit.plugin.close();
    await nextTurn();
    const { length } = indexSome.mock.calls;
    expect(length).toBeGreaterThan(1);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(indexSome).toHaveBeenCalledTimes(length);
  } finally {
    indexSome.mockRestore();
  }
});
