import { afterEach, expect, it } from "vitest";
import { TestClock } from "../../kit/test/test-clock.js";
import { FolderStore } from "../src/store/folder-store.js";
import { DamagedTables } from "../src/table/damaged-tables.js";
import { TableChanges } from "../src/table/table-changes.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

it("is retried soon after a failure, later after many, and soon if those are long ago", async () => {
  const directory = await fixture.directory();
  const clock = new TestClock(1_800_000_000);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const store = new FolderStore({ directory, clock, logger });
  const aside = new DamagedTables({ clock, logger, store });

  /** Returns the seconds until the retry after another failure. */
  async function wait(): Promise<number> {
    await aside.add("t", new Error("unreadable"), {
      changes: new TableChanges(),
      release: async () => undefined,
    });
    let seconds = 0;
    for (; aside.due.length === 0; seconds++) clock.advance(1);
    await aside.retry("t", async () => undefined);
    return seconds;
  }

  const waits = [];
  for (let n = 0; n < 10; n++) waits.push(await wait());
  expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  clock.advance(600);
  expect(await wait()).toBe(2);
});
