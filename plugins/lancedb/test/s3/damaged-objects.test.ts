import { scopeId } from "@membus/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { episodic, loadIds, makeRow, scoped } from "../storage-fixture.js";
import { S3Fixture } from "./s3-fixture.js";
import type { S3Request } from "./s3-request.js";

const acme = episodic("acme");
const other = episodic("other");

let fixture: S3Fixture;
beforeEach(async () => {
  fixture = await S3Fixture.open();
});
afterEach(() => fixture.close());

it("a damaged table keeps its changes in the bucket until it is repaired, and others are served", async () => {
  const first = await fixture.takeOver();
  await first.storage.append([...scoped(acme, makeRow(1)), ...scoped(other, makeRow(2))]);
  await first.storage.sync();
  const { store } = fixture.s3;
  const files = store.keys.filter((key) => key.includes("/t_acme-") && key.endsWith(".manifest"));
  const kept = files.map((key) => ({ key, body: store.get(key)!.body }));
  for (const { key } of kept) store.put(key, Buffer.from("nothing"), {});
  const second = await fixture.takeOver();
  await second.storage.removeFrom(3, [scopeId(acme)]);
  await second.storage.append([...scoped(acme, makeRow(3)), ...scoped(other, makeRow(4))]);
  await second.storage.sync();
  expect([...second.storage.damagedTenants!]).toEqual(["acme"]);
  expect(await loadIds(second.storage, other)).toEqual([2, 4]);
  await expect(loadIds(second.storage, acme)).rejects.toMatchObject({
    detail: { reason: "storage_damaged", retry_after_ms: 10_000 },
  });
  const queue = (await second.owner.read("t_acme"))!.queue!;
  expect(store.keys.filter((key) => key.includes("/_waiting/"))).toEqual([queue]);

  for (const { key, body } of kept) store.put(key, body, {});
  const third = await fixture.takeOver();
  expect(await loadIds(third.storage, acme)).toEqual([1, 3]);
  expect(store.keys.filter((key) => key.includes("/_waiting/"))).toEqual([]);
  expect(await loadIds(third.storage, other)).toEqual([2, 4]);
});

it("queued changes that no record names are removed by the next owner", async () => {
  const first = await fixture.takeOver();
  await first.storage.append(scoped(acme, makeRow(1)));
  await first.storage.sync();
  fixture.s3.store.put("tables/manifest/_waiting/t_acme-killed", Buffer.from("queued"), {});
  fixture.s3.store.put("tables/manifest/t_acme-killed.lance/data/1.lance", Buffer.from("rows"), {});
  const second = await fixture.takeOver();
  expect(fixture.keysWith("queued")).toEqual([]);
  expect(fixture.keysWith("rows")).toEqual([]);
  expect(await loadIds(second.storage, acme)).toEqual([1]);
});

it("rows that are appended while the store is asked whether a table is damaged are kept", async () => {
  const first = await fixture.takeOver();
  await first.storage.append(scoped(acme, makeRow(1)));
  await first.storage.sync();
  const { storage } = await fixture.takeOver();
  let isMissing = true;
  const placeOf = ({ key, query }: S3Request) => `${key}${query.get("prefix")}`;
  fixture.s3.fail({
    ...{ matches: (request) => isMissing && placeOf(request).includes("/t_acme-") },
    ...{ answer: 404, afterEffect: false, isLasting: true },
  });
  const question = fixture.s3.hold((request) => placeOf(request).endsWith("/_none/"));
  const read = expect(loadIds(storage, acme)).rejects.toMatchObject({
    detail: { reason: "storage_damaged" },
  });
  await question.arrived;
  isMissing = false;
  const written = storage.append(scoped(acme, makeRow(2)));
  await question.release();
  await Promise.all([read, written]);
  await storage.sync();
  const next = await fixture.takeOver();
  expect(await loadIds(next.storage, acme)).toEqual([1, 2]);
});
