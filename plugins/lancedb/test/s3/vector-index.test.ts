import { scopeId } from "@membus/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DIMENSIONS, episodic, loadIds, makeRow, scoped } from "../storage-fixture.js";
import type { Owned } from "./owned-tables.js";
import { S3Fixture } from "./s3-fixture.js";

/** Enough for an index of vectors. */
const ROW_COUNT = 17_000;
const ACME = episodic("acme");
const ALONG = Float32Array.from({ length: DIMENSIONS }, (_, index) => (index === 0 ? 1 : 0));

let fixture: S3Fixture;
beforeEach(async () => {
  fixture = await S3Fixture.open();
});
afterEach(() => fixture.close());

const nearest = async ({ storage }: Owned) => [
  ...(await storage.vectors!.nearest(scopeId(ACME), ALONG, 20)).keys(),
];
const indexCount = ({ storage }: Owned) => storage.stats().tables_open_vector_indexes;
const indexKeys = () => fixture.s3.store.keys.filter((key) => key.includes("/_indices/"));

it("an index of vectors in a bucket is found by the next owner, and deleted by a purge", async () => {
  const first = await fixture.takeOver();
  for (let from = 1; from <= ROW_COUNT; from += 1_000)
    await first.storage.append(
      scoped(ACME, ...Array.from({ length: 1_000 }, (_, index) => makeRow(from + index))),
    );
  await first.storage.sync();
  expect(await nearest(first)).toHaveLength(20);
  for (let run = 0; run < 2; run++) await first.storage.maintain({ purge: false });
  await first.storage.sync();
  expect(indexCount(first)).toBe(1);

  const next = await fixture.takeOver();
  expect(await nearest(next)).toHaveLength(20);
  expect(indexCount(next)).toBe(1);
  const former = indexKeys();
  const removed = await nearest(next);
  await next.storage.remove(removed.map((rowId) => ({ scope: scopeId(ACME), rowId })));
  await next.storage.sync();
  await next.storage.maintain({ purge: true });
  expect(indexCount(next)).toBe(0);
  expect(indexKeys().filter((key) => former.includes(key))).toEqual([]);
  expect((await nearest(next)).filter((rowId) => removed.includes(rowId))).toEqual([]);
  expect(await loadIds(next.storage, ACME)).toHaveLength(ROW_COUNT - removed.length);
});
