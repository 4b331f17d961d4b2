import { afterEach, beforeEach, expect, it } from "vitest";
import { episodic, loadIds, makeRow, scoped } from "../storage-fixture.js";
import type { Owned } from "./owned-tables.js";
import { S3Fixture } from "./s3-fixture.js";

const acme = episodic("acme");
const other = episodic("other");
const TABLE = "t_acme";

let fixture: S3Fixture;
beforeEach(async () => {
  fixture = await S3Fixture.open();
  const { storage } = await fixture.takeOver();
  await storage.append([...scoped(acme, makeRow(1)), ...scoped(other, makeRow(2))]);
  await storage.sync();
});
afterEach(() => fixture.close());

const giveUp = () => fixture.takeOver("manifest", {}, [TABLE]);

/** Replaces objects of acme's table. Returns their former bodies. */
function damage(suffix: string): ReadonlyMap<string, Buffer> {
  const { store } = fixture.s3;
  const keys = store.keys.filter((key) => key.includes(`/${TABLE}-`) && key.endsWith(suffix));
  const bodies = new Map(keys.map((key) => [key, store.get(key)!.body]));
  for (const key of keys) store.put(key, Buffer.from("damaged"), {});
  return bodies;
}

/** Appends a row, which waits in the bucket while the table is damaged. */
async function appendToDamaged({ storage }: Owned, rowId: number): Promise<void> {
  await storage.append(scoped(acme, makeRow(rowId)));
  await storage.sync();
  expect(storage.damagedParts).toMatchObject([{ name: TABLE }]);
}

it("replaces a table that cannot be read, makes its queued changes, and deletes its former objects", async () => {
  damage(".manifest");
  await appendToDamaged(await fixture.takeOver(), 3);
  const { storage } = await giveUp();
  expect(fixture.keysWith("damaged")).toEqual([]);
  expect(await loadIds(storage, acme)).toEqual([3]);
  expect(await loadIds(storage, other)).toEqual([2]);
  expect(storage.damagedParts).toEqual([]);
  await storage.append(scoped(acme, makeRow(4)));
  await storage.sync();
  expect(await loadIds((await fixture.takeOver()).storage, acme)).toEqual([3, 4]);
});

it("keeps the queued changes if the owner is killed after it has replaced the table", async () => {
  damage(".manifest");
  await appendToDamaged(await fixture.takeOver(), 3);
  await giveUp();
  const { storage } = await fixture.takeOver();
  expect(await loadIds(storage, acme)).toEqual([3]);
});

it("replaces a table with unreadable rows", async () => {
  damage(".lance");
  const { storage } = await giveUp();
  expect(await storage.scopes("acme")).toEqual([]);
  expect(fixture.keysWith("damaged")).toEqual([]);
});

it("keeps the rows of a table that was repaired in the meantime", async () => {
  const bodies = damage(".manifest");
  await appendToDamaged(await fixture.takeOver(), 3);
  for (const [key, body] of bodies) fixture.s3.store.put(key, body, {});
  const { storage } = await giveUp();
  expect(await loadIds(storage, acme)).toEqual([1, 3]);
});

it("keeps the rows that a table still has", async () => {
  const { owner } = await fixture.takeOver();
  await owner.update(TABLE, async (found) => ({ ...found!, rowCount: 5 }));
  const refused = await fixture.takeOver();
  await expect(loadIds(refused.storage, acme)).rejects.toMatchObject({ code: "unavailable" });
  expect(refused.storage.damagedParts).toMatchObject([
    { name: TABLE, reason: expect.stringContaining("with 5") },
  ]);
  const { storage } = await giveUp();
  expect(await loadIds(storage, acme)).toEqual([1]);
});

it("builds damaged indexes of a table again, and keeps its rows", async () => {
  const ids = Array.from({ length: 2_100 }, (_, index) => 10 + index);
  const { storage: first } = await fixture.takeOver();
  await first.append(scoped(acme, ...ids.map((id) => makeRow(id))));
  await first.sync();
  // The second run finds nothing new, and builds the indexes.
  for (const purge of [true, false]) await first.maintain({ purge });
  await first.sync();
  const indexes = fixture.s3.store.keys.filter((key) => key.includes("/_indices/"));
  expect(indexes).not.toEqual([]);
  for (const key of indexes) fixture.s3.store.put(key, Buffer.from("damaged"), {});
  const refused = await fixture.takeOver();
  await expect(loadIds(refused.storage, acme)).rejects.toMatchObject({ code: "unavailable" });
  const { storage } = await giveUp();
  expect(await loadIds(storage, acme)).toEqual([1, ...ids]);
  for (const purge of [true, false]) await storage.maintain({ purge });
  const built = fixture.s3.store.keys.filter((key) => key.includes("/_indices/") && !indexes.includes(key));
  expect(built).not.toEqual([]);
  expect(await loadIds(storage, acme)).toEqual([1, ...ids]);
});

it("replaces nothing if the store cannot be reached", async () => {
  damage(".manifest");
  await appendToDamaged(await fixture.takeOver(), 3);
  fixture.s3.fail({ matches: () => true, afterEffect: false, answer: 503, isLasting: true });
  await expect(giveUp()).rejects.toMatchObject({ code: "unavailable" });
  fixture.s3.heal();
  const { storage } = await giveUp();
  expect(await loadIds(storage, acme)).toEqual([3]);
});
