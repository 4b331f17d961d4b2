import { expect, it } from "vitest";
import { changedStorage } from "./changed-storage.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

it("tells how far the loading of a partition has got, until it is there", async () => {
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
  await kit.fold();
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
