import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OptimizeOptions, Table } from "@lancedb/lancedb";
import { scopeId, systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { LANCE_STORAGE_DEFAULTS } from "../src/index.js";
import { FolderStore } from "../src/store/folder-store.js";
import { maintainTable } from "../src/table/maintenance.js";
import { Tables } from "../src/table/tables.js";
import { DIMENSIONS, episodic, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const logger = { debug() {}, info() {}, warn() {}, error() {} };

const noNote = () => undefined;

async function openTables(): Promise<Tables> {
  return Tables.open({
    store: new FolderStore({ directory: await fixture.directory(), clock: systemClock, logger }),
    dimensions: DIMENSIONS,
    options: LANCE_STORAGE_DEFAULTS,
    clock: systemClock,
    logger,
    acceptLoss: false,
    keptContentId: () => undefined,
    opened: () => undefined,
  });
}

describe("a purge", () => {
  it("keeps the files of a version for reads that started with it", async () => {
    const tables = await openTables();
    await tables.write("t_acme", noNote, async (table) => {
      for (let round = 0; round < 10; round++) {
        const ids = Array.from({ length: 1_000 }, (_, index) => round * 1_000 + index);
        await table.append(scoped(episodic("acme"), ...ids.map((id) => makeRow(id))));
      }
      let resume = () => {};
      const paused = new Promise<void>((resolve) => {
        resume = resolve;
      });
      let rowCount = 0;
      const read = table.read(async (lance) => {
        for await (const batch of lance.query().select(["row_id", "body"]).limit(20_000)) {
          rowCount += batch.numRows;
          await paused;
        }
      });
      while (rowCount === 0) await nextTurn();
      await table.removeFrom(500, [scopeId(episodic("acme"))]);
      let isPurged = false;
      const purge = maintainTable(table, { purge: true, fragmentsMax: 32 }).then(() => {
        isPurged = true;
      });
      // The purge is durable by now. From here it takes a few turns, unless it waits for the read.
      while ((await table.stored.synced())!.version === 1) await nextTurn();
      for (let turn = 0; turn < 500; turn++) await readdir(table.stored.location);
      expect(isPurged).toBe(false);
      resume();
      await Promise.all([read, purge]);
      expect(rowCount).toBe(10_000);
    });
    await tables.close();
  });
});

it("compacts once during endless appends, and cleans up after four times or when they end", async () => {
  const tables = await openTables();
  await tables.write("t_acme", noNote, async (table) => {
    let rowId = 0;
    const append = () => table.append(scoped(episodic("acme"), makeRow(rowId++), makeRow(rowId++)));
    const commit = table.commit.bind(table);
    let optimizeCount = 0;
    const optimize = async (lance: Table, options: Partial<OptimizeOptions>) => {
      optimizeCount++;
      // The second call of a round is exclusive, and an append would wait for it.
      if (isBusy && optimizeCount === 1) await append();
      return lance.optimize(options);
    };
    table.commit = (change) =>
      commit((lance) =>
        change(
          new Proxy(lance, {
            get(target, name) {
              const member: unknown = Reflect.get(target, name, target);
              if (name === "optimize") return optimize.bind(undefined, target);
              return typeof member === "function" ? member.bind(target) : member;
            },
          }),
        ),
      );
    const maintain = async () => {
      optimizeCount = 0;
      await maintainTable(table, { purge: false, fragmentsMax: 2 });
    };
    let isBusy = true;
    for (const compactionCount of [1, 2, 3, 0, 1]) {
      await append();
      await append();
      await maintain();
      expect(optimizeCount === 1).toBe(compactionCount > 0);
      expect(table.backlog).toMatchObject({ fragmentCount: Math.min(compactionCount, 1), compactionCount });
    }
    isBusy = false;
    await maintain();
    expect(table.backlog).toMatchObject({ fragmentCount: 0, compactionCount: 0 });
    expect(await readdir(join(table.stored.location, "data"))).toHaveLength(1);
    expect(await table.read((lance) => lance.countRows())).toBe(rowId);
  });
  await tables.close();
});
