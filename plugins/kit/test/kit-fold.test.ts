import { expect, it } from "vitest";
import type { Storage } from "../src/index.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

it("takes what was logged when it began, and leaves what comes meanwhile to the next fold", async () => {
  const written: (number | "sync")[] = [];
  const kit = await TestKit.open({
    wrapStorage: (storage): Storage =>
      Object.assign(Object.create(storage), {
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
      } satisfies Partial<Storage>),
  });
  const { store } = calls(kit);
  await store([{ key: "a" }, { key: "b" }, { key: "c" }]);
  await kit.fold();
  expect(written).toEqual([3, "sync", 2, "sync"]);
  expect(kit.storage.rowIds).toHaveLength(5);
});
