import { scopeId } from "@membus/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { episodic, loadIds, makeRow, scoped } from "../storage-fixture.js";
import type { Fault } from "./fake-s3.js";
import { S3Fixture } from "./s3-fixture.js";

const acme = episodic("acme");
const other = episodic("other");
const UNREACHABLE = { code: "unavailable", detail: { reason: "storage_unreachable", retry_after_ms: 1000 } };

let fixture: S3Fixture;
beforeEach(async () => {
  fixture = await S3Fixture.open();
});
afterEach(() => fixture.close());

it.each<[string, Pick<Fault, "answer" | "code">]>([
  ["403", { answer: 403 }],
  ["503", { answer: 503 }],
  ["no answer", { answer: "cut" }],
  // LanceDB takes every 404 for a missing object.
  ["that it is missing", { answer: 404 }],
  ["that the user is missing", { answer: 404, code: "XAdminUserNotFound" }],
])("a bucket that answers %s for a while loses no row and doubles none", async (_, fault) => {
  const { storage } = await fixture.takeOver();
  await storage.append([...scoped(acme, makeRow(1)), ...scoped(other, makeRow(2))]);
  await storage.sync();
  await storage.append(scoped(acme, makeRow(3)));
  fixture.s3.fail({ matches: () => true, afterEffect: false, isLasting: true, ...fault });
  await expect(storage.append(scoped(acme, makeRow(4)))).rejects.toMatchObject(UNREACHABLE);
  await expect(storage.sync()).rejects.toMatchObject(UNREACHABLE);
  await expect(loadIds(storage, acme)).rejects.toMatchObject(UNREACHABLE);
  await expect(storage.maintain({ purge: true, tenant: "acme" })).rejects.toMatchObject(UNREACHABLE);
  expect(storage.stats()).toMatchObject({ tables_damaged: 0 });
  fixture.s3.heal();
  await storage.removeFrom(4, [scopeId(acme)]);
  await storage.append(scoped(acme, makeRow(4)));
  await storage.sync();
  const after = await fixture.takeOver();
  for (const each of [storage, after.storage]) {
    if (each === after.storage) expect(await loadIds(each, other)).toEqual([2]);
    expect(await loadIds(each, acme)).toEqual([1, 3, 4]);
  }
});
