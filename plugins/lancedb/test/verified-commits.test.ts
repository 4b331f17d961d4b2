import { connect, type Table } from "@lancedb/lancedb";
import { silentLogger, systemClock } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VerifiedCommits } from "../src/store/verified-commits.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
let table: Table;
let commits: VerifiedCommits;
let warningCount: number;
/** Another handle of the table. */
let other: Table;

beforeEach(async () => {
  const directory = await fixture.directory();
  table = await (await connect(directory)).createTable("t", [{ id: 1 }]);
  other = await (await connect(directory)).openTable("t");
  warningCount = 0;
  const logger = { ...silentLogger, warn: () => void warningCount++ };
  const context = {
    name: "t",
    ownership: { async untilOwned() {} },
    clock: systemClock,
    logger,
    onRepair() {},
  };
  commits = await VerifiedCommits.on(table, context);
});
afterEach(() => fixture.end());

const add = (id: number) =>
  commits.run(
    (opened) => opened.add([{ id }]),
    () => 1,
  );
const idsOf = async (of: Table) => (await of.query().toArray()).map(({ id }) => Number(id)).sort();

describe("commits", () => {
  it("run one after the other, each with its verification", async () => {
    let finish: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const steps: string[] = [];
    const first = commits.run(
      async () => {
        steps.push("first begins");
        await waiting;
        steps.push("first ends");
      },
      () => 0,
    );
    const second = commits.run(
      async () => void steps.push("second"),
      () => 0,
    );
    await expect.poll(() => steps).toEqual(["first begins"]);
    finish();
    await Promise.all([first, second]);
    expect(steps).toEqual(["first begins", "first ends", "second"]);
  });

  it("with the expected number of rows are kept", async () => {
    await add(2);
    const remove = commits.run(
      (opened) => opened.delete("id = 1"),
      ({ numDeletedRows }) => -numDeletedRows,
    );
    await remove;
    expect([await idsOf(table), warningCount]).toEqual([[2], 0]);
    expect(commits.verified).toEqual({ version: 3, rowCount: 1 });
  });

  it("that include rows of another writer are repeated without them", async () => {
    await other.add([{ id: 7 }, { id: 8 }]);
    await add(2);
    expect([await idsOf(table), warningCount]).toEqual([[1, 2], 1]);
    await other.checkoutLatest();
    expect(await idsOf(other)).toEqual([1, 2]);
  });

  it("that fail after they were done are undone", async () => {
    const failing = commits.run(
      async (opened) => {
        await opened.add([{ id: 5 }]);
        throw new Error("failed");
      },
      () => 1,
    );
    await expect(failing).rejects.toThrow("failed");
    expect([await idsOf(table), warningCount]).toEqual([[1], 1]);
    await add(2);
    expect(await idsOf(table)).toEqual([1, 2]);
  });

  it("fail as unreachable while another writer never stops", async () => {
    const crowded = commits.run(
      async (opened) => {
        await other.checkoutLatest();
        await other.add([{ id: 9 }]);
        await opened.add([{ id: 2 }]);
      },
      () => 1,
    );
    await expect(crowded).rejects.toMatchObject({ detail: { reason: "storage_unreachable" } });
    expect([await idsOf(table), warningCount]).toEqual([[1], 3]);
  });
});
