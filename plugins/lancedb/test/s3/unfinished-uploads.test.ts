import { randomBytes } from "node:crypto";
import { scopeId, silentLogger } from "@membus/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { episodic, loadIds, makeRow, scoped } from "../storage-fixture.js";
import type { HeldRequest } from "./fake-s3.js";
import type { Owned } from "./owned-tables.js";
import { S3Fixture } from "./s3-fixture.js";
import type { S3Request } from "./s3-request.js";

const acme = episodic("acme");
const MOVED = { code: "unavailable", detail: { reason: "shard_moved" } };
/** Rows of this many characters, all together, are uploaded in parts. */
const PARTS_CHARS = 9_600_000;

let fixture: S3Fixture;
beforeEach(async () => {
  fixture = await S3Fixture.open();
});
afterEach(() => fixture.close());

async function settle({ storage }: Owned, ...ids: number[]): Promise<void> {
  await storage.append(scoped(acme, ...ids.map((id) => makeRow(id))));
  await storage.sync();
}

/** Appends row 2 in an upload that stays unfinished. Returns a text that only this row has. */
async function beginUpload({ storage }: Owned): Promise<{
  readonly marker: string;
  readonly held: HeldRequest;
  readonly appended: Promise<unknown>;
}> {
  // Random, because LanceDB compresses texts.
  const body = randomBytes((PARTS_CHARS * 3) / 4).toString("base64");
  const held = fixture.s3.hold(({ operation }) => operation === "complete_upload");
  const appended = storage.append(scoped(acme, makeRow(2, { body }))).catch((error: unknown) => error);
  await held.arrived;
  const marker = body.slice(0, 100);
  expect(fixture.keysWith(marker)).toEqual(uploadKeys());
  return { marker, held, appended };
}

/** Removes the rows from 2, as a take-over does, and erases them. */
async function purge({ storage }: Owned): Promise<void> {
  await storage.removeFrom(2, [scopeId(acme)]);
  await storage.sync();
  expect(await storage.maintain({ purge: true, tenant: "acme" })).toBe(true);
}

const uploadKeys = () => fixture.s3.store.uploads.map(({ key }) => key);
const isListing = ({ operation }: S3Request) => operation === "list_uploads";

it("a purge erases the upload of a killed owner, which cannot complete it later", async () => {
  const first = await fixture.takeOver();
  await settle(first, 1);
  const { marker, held, appended } = await beginUpload(first);
  first.owner.isOwner = false;
  const second = await fixture.takeOver();
  expect(fixture.keysWith(marker)).toHaveLength(1);
  await purge(second);
  expect([fixture.keysWith(marker), uploadKeys()]).toEqual([[], []]);
  await held.release();
  expect(await appended).toBeInstanceOf(Error);
  expect(fixture.keysWith(marker)).toEqual([]);
  expect(await loadIds(second.storage, acme)).toEqual([1]);
});

it("a removal of the tenant erases it, too", async () => {
  const first = await fixture.takeOver();
  await settle(first, 1);
  const { held, appended } = await beginUpload(first);
  first.owner.isOwner = false;
  const second = await fixture.takeOver();
  await second.storage.dropTenant!("acme", async () => undefined);
  expect([fixture.s3.store.keys, uploadKeys()]).toEqual([[], []]);
  await held.release();
  await appended;
});

it("a purge spares the upload of another table that is being written", async () => {
  const owned = await fixture.takeOver();
  await owned.storage.append(scoped(episodic("other"), makeRow(1), makeRow(2)));
  await owned.storage.sync();
  await settle(owned, 1);
  const { held, appended } = await beginUpload(owned);
  await owned.storage.removeFrom(2, [scopeId(episodic("other"))]);
  expect(await owned.storage.maintain({ purge: true, tenant: "other" })).toBe(true);
  await held.release();
  expect(await appended).toBeUndefined();
  expect(await loadIds(owned.storage, acme)).toEqual([1, 2]);
});

it("an owner that loses the table after the listing aborts nothing", async () => {
  const first = await fixture.takeOver();
  await settle(first, 1);
  const { marker, held, appended } = await beginUpload(first);
  const second = await fixture.takeOver();
  const loses = (request: S3Request) => {
    if (isListing(request)) second.owner.isOwner = false;
    return false;
  };
  fixture.s3.fail({ matches: loses, afterEffect: false, answer: 500 });
  await expect(purge(second)).rejects.toMatchObject(MOVED);
  expect(fixture.keysWith(marker)).toHaveLength(1);
  await held.release();
  await appended;
});

it("a take-over aborts uploads of tables without a record, and no others", async () => {
  const { store } = fixture.s3;
  const owned = await fixture.takeOver();
  await settle(owned, 1);
  const { table } = (await owned.owner.read("t_acme"))!;
  const keys = [
    `manifest/${table}.lance/data/1.lance`,
    "manifest/t_gone.lance/data/1.lance",
    "other/t.lance/1",
  ];
  for (const key of keys) store.beginUpload(`tables/${key}`);
  await fixture.takeOver();
  expect(uploadKeys()).toEqual([`tables/${keys[0]}`, `tables/${keys[2]}`]);
});

it("a store that does not know the listing is named once, and tables are purged without it", async () => {
  const warn = vi.fn();
  fixture.logger = { ...silentLogger, warn };
  fixture.s3.fail({ matches: isListing, afterEffect: false, answer: 501, isLasting: true });
  await settle(await fixture.takeOver(), 1);
  const second = await fixture.takeOver();
  await settle(second, 2);
  await purge(second);
  expect(await loadIds(second.storage, acme)).toEqual([1]);
  expect(warn.mock.calls).toEqual([
    [
      { err: expect.objectContaining({ code: "NotImplemented" }) },
      expect.stringContaining("let the bucket abort incomplete uploads"),
    ],
  ]);
});
