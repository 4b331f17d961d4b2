import type { TableRecord, TableRecords } from "@membus/plugin-lancedb/s3";
import { type MemoryError, monotonicClock, silentLogger } from "@membus/protocol";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { FACTS } from "../../plugins/kit/test/place-suite.js";
import { type ClusterBucket, openKvPlace } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { TestHold } from "./test-hold.js";

let fixture: ClusterFixture;
let bucket: ClusterBucket;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  bucket = await fixture.openBucket();
});

const LOST = expect.objectContaining<Partial<MemoryError>>({ code: "unavailable" });
const record = (version: number): TableRecord => ({
  ...{ table: `acme-${version}`, settledCount: version, version },
  ...{ purged: true, cleanBytes: 0, rowCount: version },
});
const write = (tables: TableRecords, name: string, version: number) =>
  tables.update(name, async () => record(version));

/** Takes the shard over. The owner of an earlier epoch is not told. */
async function takeOver(epoch: number): Promise<TableRecords> {
  let tables: TableRecords | undefined;
  const place = openKvPlace(
    {
      shard: 3,
      tier: "semantic",
      hold: new TestHold(epoch),
      bucket,
      clock: monotonicClock,
      logger: silentLogger,
    },
    {
      createStorage: (_, records) => {
        tables = records;
        return undefined as never;
      },
      openLog: () => Promise.reject(new Error("not part of this test")),
    },
  );
  const facts = await place.manifest.claim(() => FACTS);
  await place.manifest.write(facts);
  place.createStorage({ id: facts.id, keptContentId: () => undefined });
  return tables!;
}

it("records of tables pass to the next owner", async () => {
  const first = await takeOver(1);
  await write(first, "acme", 1);
  await write(first, "bravo/ü", 2);
  const second = await takeOver(2);
  expect(await second.list()).toEqual(
    new Map([
      ["acme", record(1)],
      ["bravo/ü", record(2)],
    ]),
  );
  expect(await second.read("acme")).toEqual(record(1));
});

it("a removed record is absent, also for the next owner", async () => {
  const first = await takeOver(1);
  await write(first, "acme", 1);
  await first.update("acme", async () => undefined);
  await first.update("never", async () => undefined);
  expect([await first.read("acme"), (await first.list()).size]).toEqual([undefined, 0]);
  expect((await (await takeOver(2)).list()).size).toBe(0);
});

it("an earlier owner replaces no record", async () => {
  const first = await takeOver(1);
  await write(first, "acme", 1);
  const second = await takeOver(2);
  await expect(write(first, "acme", 7)).rejects.toEqual(LOST);
  expect(await second.read("acme")).toEqual(record(1));
});

it("a record that an earlier owner creates late counts as absent, and is overwritten", async () => {
  const first = await takeOver(1);
  const second = await takeOver(2);
  await write(first, "acme", 1);
  await write(first, "bravo", 1);
  expect([await second.read("acme"), (await second.list()).size]).toEqual([undefined, 0]);
  await second.update("acme", async (found) => {
    expect(found).toBeUndefined();
    return record(5);
  });
  expect(await (await takeOver(3)).list()).toEqual(new Map([["acme", record(5)]]));
});

it("a change sees what this owner wrote, and is done again if a record appears in between", async () => {
  const first = await takeOver(1);
  const second = await takeOver(2);
  const seen: (number | undefined)[] = [];
  await second.update("acme", async (found) => {
    seen.push(found?.version);
    if (seen.length === 1) await write(first, "acme", 1);
    return record(2);
  });
  await second.update("acme", async (found) => {
    seen.push(found?.version);
    return record(3);
  });
  expect(seen).toEqual([undefined, undefined, 2]);
});
