import { EventEmitter, once } from "node:events";
import { expect, it } from "vitest";
import { changedStorage } from "./changed-storage.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

it("flushes the records logged before it started, and leaves later ones to the next flush", async () => {
  const written: (number | "sync")[] = [];
  const kit = await TestKit.open({
    wrapStorage: (storage) =>
      changedStorage(storage, {
        async append(rows) {
          written.push(rows.length);
          if (written.length < 3)
            await store([{ key: `x-${written.length}` }, { key: `y-${written.length}` }]);
          await storage.append(rows);
        },
        async sync() {
          written.push("sync");
          await storage.sync();
        },
      }),
  });
  const { store } = calls(kit);
  await store([{ key: "a" }, { key: "b" }, { key: "c" }]);
  await kit.flush();
  expect(written).toEqual([3, "sync", 2, "sync"]);
  expect(kit.storage.rowIds).toHaveLength(5);
});

it("runs during storage maintenance, and tracks concurrent forgets", async () => {
  const events = new EventEmitter();
  const begun = once(events, "begun");
  const ended = once(events, "ended");
  const kit = await TestKit.open({
    wrapStorage: (storage) =>
      changedStorage(storage, {
        async maintain(options) {
          const isPurged = await storage.maintain(options);
          events.emit("begun");
          await ended;
          return isPurged;
        },
      }),
  });
  const { store, forget } = calls(kit);
  await store([{ key: "a" }]);
  const maintaining = kit.plugin.maintain();
  await begun;
  await store([{ key: "b" }]);
  await kit.flush();
  expect(kit.storage.rowIds).toHaveLength(2);
  await forget({ keys: ["a"] });
  await kit.flush();
  expect(kit.storage.rowIds).toHaveLength(1);
  events.emit("ended");
  await maintaining;
  await kit.plugin.maintain();
  await kit.plugin.maintain();
  expect(kit.storage.maintained).toEqual([{ purge: true }, { purge: true }, { purge: false }]);
});

const LATE = { flushAtMaintenance: false, flushIdleMs: 3_600_000 };

it("waits for its time if maintenance does not flush", async () => {
  const kit = await TestKit.open({ options: LATE });
  await calls(kit).store([{ key: "a" }]);
  await kit.plugin.maintain();
  expect(kit.storage.rowIds).toEqual([]);
});

it.each([
  ["large entries", { backlogBytesMax: 1024 * 1024 }, "x".repeat(100_000)],
  ["many entries", { backlogCountMax: 12 }, "x"],
])("starts with %s before the backlog refuses stores", async (_, bounds, content) => {
  const kit = await TestKit.open({ options: { ...LATE, ...bounds } });
  const { store } = calls(kit);
  for (const key of ["a", "b", "c", "d"]) await store([{ key, content }]);
  await expect.poll(() => kit.storage.rowIds.length).toBeGreaterThan(2);
});
