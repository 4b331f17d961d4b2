import { randomBytes } from "node:crypto";
import { scopeId } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { episodic, loadIds, makeRow, scoped } from "../storage-fixture.js";
import type { HeldRequest } from "./fake-s3.js";
import type { Owned } from "./owned-tables.js";
import { S3Fixture } from "./s3-fixture.js";
import type { S3Request } from "./s3-request.js";

const acme = episodic("acme");
const MOVED = { code: "unavailable", detail: { reason: "shard_moved" } };
const UNAVAILABLE = { code: "unavailable" };

let fixture: S3Fixture;
beforeEach(async () => {
  fixture = await S3Fixture.open();
});
afterEach(() => fixture.close());

const isPutOf = (folder: string) => (request: S3Request) =>
  request.operation === "put" && request.key.includes(`/${folder}/`);

const append = ({ storage }: Owned, ...ids: number[]) =>
  storage.append(scoped(acme, ...ids.map((id) => makeRow(id))));

/** Appends rows and syncs them. */
async function settle(owned: Owned, ...ids: number[]): Promise<void> {
  await append(owned, ...ids);
  await owned.storage.sync();
}

const idsOf = ({ storage }: Owned) => loadIds(storage, acme);

/** Removes files of all versions but the present one. */
async function purge({ storage }: Owned): Promise<void> {
  await storage.removeFrom(1_000, [scopeId(acme)]);
  await storage.sync();
  expect(await storage.maintain({ purge: true, tenant: "acme" })).toBe(true);
}

/** Returns the number of requests that `task` sends. */
async function requestsOf(task: () => Promise<unknown>, counts: (request: S3Request) => boolean) {
  let count = 0;
  const matches = (request: S3Request) => {
    if (counts(request)) count++;
    return false;
  };
  fixture.s3.fail({ matches, afterEffect: false, answer: 500 });
  await task();
  fixture.s3.heal();
  return count;
}

/** Begins an append of an owner that then loses the table. The PUT below `folder` waits for its release. */
async function holdAppend(folder: string): Promise<{ held: HeldRequest; late: Promise<unknown> }> {
  const first = await fixture.takeOver();
  await settle(first, 1);
  const held = fixture.s3.hold(isPutOf(folder));
  const late = append(first, 2).catch(() => undefined);
  await held.arrived;
  first.owner.isOwner = false;
  return { held, late };
}

describe("a take-over", () => {
  it("takes back what the earlier owner has not synced", async () => {
    const first = await fixture.takeOver();
    await settle(first, 1);
    await append(first, 2);
    const second = await fixture.takeOver();
    expect(await idsOf(second)).toEqual([1]);
    await settle(second, 3);
    expect(await idsOf(await fixture.takeOver())).toEqual([1, 3]);
  });

  it("makes an append fail that the earlier owner had begun", async () => {
    const first = await fixture.takeOver();
    await settle(first, 1);
    const held = fixture.s3.hold(isPutOf("_versions"));
    const late = expect(append(first, 2)).rejects.toMatchObject(UNAVAILABLE);
    await held.arrived;
    const second = await fixture.takeOver();
    expect(await idsOf(second)).toEqual([1]);
    const before = fixture.manifests;
    await held.release();
    await late;
    expect(fixture.manifests).toEqual(before);
    await settle(second, 3);
    expect(await idsOf(second)).toEqual([1, 3]);
    expect(await idsOf(await fixture.takeOver())).toEqual([1, 3]);
  });

  it("makes all later changes of the earlier owner fail", async () => {
    const first = await fixture.takeOver();
    await settle(first, 1, 2);
    const second = await fixture.takeOver();
    expect(await idsOf(second)).toEqual([1, 2]);
    const before = fixture.manifests;
    await expect(append(first, 3)).rejects.toMatchObject(UNAVAILABLE);
    await expect(first.storage.sync()).rejects.toMatchObject(UNAVAILABLE);
    expect(fixture.manifests).toEqual(before);
  });

  it("repeats its restore if the earlier owner syncs during it", async () => {
    const first = await fixture.takeOver();
    await settle(first, 1);
    await append(first, 2);
    const second = await fixture.takeOver();
    const held = fixture.s3.hold(isPutOf("_versions"));
    const ids = idsOf(second);
    await held.arrived;
    await first.storage.sync();
    await held.release();
    expect(await ids).toEqual([1, 2]);
  });

  it("is not changed by a manifest that the earlier owner writes after the clean-up", async () => {
    const { held, late } = await holdAppend("_versions");
    const second = await fixture.takeOver();
    await settle(second, 3);
    await purge(second);
    const before = fixture.manifests.length;
    await held.release();
    await late;
    expect(fixture.manifests.length).toBe(before + 1);
    await settle(second, 4);
    expect(await idsOf(second)).toEqual([1, 3, 4]);
    const third = await fixture.takeOver();
    expect(await idsOf(third)).toEqual([1, 3, 4]);
    await settle(third, 5);
    expect(await idsOf(third)).toEqual([1, 3, 4, 5]);
  });
});

/** An append of the first owner arrives on top of the table of the second one, after the clean-up of its fence. */
async function appendLate(): Promise<Owned> {
  const { held, late } = await holdAppend("data");
  const second = await fixture.takeOver("manifest", { openTablesMax: 1 });
  await settle(second, 3);
  await purge(second);
  const before = fixture.manifests.length;
  await held.release();
  await late;
  expect(fixture.manifests.length).toBe(before + 1);
  return second;
}

describe("an append of an earlier owner after the clean-up", () => {
  it("is undone by the next commit", async () => {
    const second = await appendLate();
    expect(second.storage.stats()).toMatchObject({ table_repairs: 0 });
    await settle(second, 4);
    expect(second.storage.stats()).toMatchObject({ table_repairs: 1 });
    expect(await idsOf(second)).toEqual([1, 3, 4]);
    await purge(second);
    expect(await idsOf(await fixture.takeOver())).toEqual([1, 3, 4]);
  });

  it("is undone by the next removal", async () => {
    const second = await appendLate();
    await second.storage.remove([{ scope: scopeId(acme), rowId: 3 }]);
    await second.storage.sync();
    expect(await idsOf(second)).toEqual([1]);
    expect(await idsOf(await fixture.takeOver())).toEqual([1]);
  });

  it("is undone when the later owner opens the table again", async () => {
    const second = await appendLate();
    await second.storage.append(scoped(episodic("other"), makeRow(9)));
    expect(second.storage.stats()).toMatchObject({ tables_open: 1 });
    expect(await idsOf(second)).toEqual([1, 3]);
    await settle(second, 4);
    expect(await idsOf(await fixture.takeOver())).toEqual([1, 3, 4]);
  });

  it("is undone by the next take-over", async () => {
    await appendLate();
    expect(await idsOf(await fixture.takeOver())).toEqual([1, 3]);
  });

  it("makes a read fail that may have seen it", async () => {
    const second = await appendLate();
    const isRead = ({ operation, key }: S3Request) => operation === "get" && key.includes("/data/");
    const held = fixture.s3.hold(isRead);
    const ids = expect(idsOf(second)).rejects.toMatchObject({ detail: { reason: "storage_unreachable" } });
    await held.arrived;
    await append(second, 4);
    await held.release();
    await ids;
    expect(await idsOf(second)).toEqual([1, 3, 4]);
  });

  it("is left to the later owner if the lease was lost before the repair", async () => {
    const second = await appendLate();
    const isOwn = isPutOf("_versions");
    const loses = (request: S3Request) => {
      if (isOwn(request)) second.owner.isOwner = false;
      return isOwn(request);
    };
    const writes = await requestsOf(() => expect(append(second, 4)).rejects.toMatchObject(MOVED), loses);
    expect(writes).toBe(1);
  });
});

describe("an owner that has lost its lease", () => {
  it("sends no request", async () => {
    const first = await fixture.takeOver();
    await settle(first, 1);
    for (const owned of [first, await fixture.takeOver()]) {
      owned.owner.isOwner = false;
      const count = await requestsOf(
        async () => {
          await expect(append(owned, 2)).rejects.toMatchObject(MOVED);
          const created = owned.storage.append(scoped(episodic("created"), makeRow(3)));
          await expect(created).rejects.toMatchObject(MOVED);
          await expect(owned.storage.removeFrom(1, [scopeId(acme)])).rejects.toMatchObject(MOVED);
          await expect(owned.storage.maintain({ purge: true, tenant: "acme" })).rejects.toMatchObject(MOVED);
        },
        () => true,
      );
      expect(count).toBe(0);
    }
    // The first owner has rows to sync.
    await expect(first.storage.sync()).rejects.toMatchObject(MOVED);
  });

  it("restores no table that it had begun to open", async () => {
    await settle(await fixture.takeOver(), 1);
    const second = await fixture.takeOver();
    const held = fixture.s3.hold(({ key, query }) => `${key}${query.get("prefix")}`.includes("/_versions/"));
    const ids = expect(idsOf(second)).rejects.toMatchObject(MOVED);
    await held.arrived;
    second.owner.isOwner = false;
    const before = fixture.manifests;
    await held.release();
    await ids;
    expect(fixture.manifests).toEqual(before);
  });
});

describe("a clean-up", () => {
  it("does not start if the record of its version is refused", async () => {
    const first = await fixture.takeOver();
    await settle(first, 1, 2);
    await first.storage.remove([{ scope: scopeId(acme), rowId: 1 }]);
    let second: Owned | undefined;
    first.owner.beforeUpdate = async () => {
      second = await fixture.takeOver();
      expect(await idsOf(second)).toEqual([1, 2]);
    };
    await expect(first.storage.maintain({ purge: true, tenant: "acme" })).rejects.toMatchObject(MOVED);
    await settle(second!, 3);
    expect(await idsOf(second!)).toEqual([1, 2, 3]);
  });

  it("keeps files of other writers that no version names", async () => {
    const owned = await fixture.takeOver("manifest", { fragmentsMax: 2 });
    for (const id of [1, 2, 3]) await settle(owned, id);
    const other = fixture.s3.store.keys
      .find((key) => key.includes("/data/"))!
      .replace(/[^/]+$/, "other.lance");
    fixture.s3.store.put(other, Buffer.from("rows of a commit that is under way"), {});
    const before = fixture.manifests.length;
    for (let time = 0; time < 3; time++) await owned.storage.maintain({ purge: false });
    expect(fixture.manifests.length).toBeLessThan(before);
    expect(fixture.s3.store.keys).toContain(other);
  });
});

describe("a purge", () => {
  it("leaves no file of a write that a kill tore, and moves the table for it", async () => {
    const first = await fixture.takeOver();
    await settle(first, 1);
    const marker = randomBytes(300).toString("hex");
    const held = fixture.s3.hold(isPutOf("_versions"));
    const late = first.storage.append(scoped(acme, makeRow(2, { body: marker }))).catch(() => undefined);
    await held.arrived;
    first.owner.isOwner = false;
    const second = await fixture.takeOver();
    const tableOf = () => second.owner.read("t_acme").then((record) => record?.table);
    expect(fixture.keysWith(marker).length).toBe(1);
    await second.storage.removeFrom(2, [scopeId(acme)]);
    const before = await tableOf();
    await purge(second);
    expect(fixture.keysWith(marker)).toEqual([]);
    expect(await tableOf()).not.toBe(before);
    await settle(second, 3);
    expect(await idsOf(second)).toEqual([1, 3]);
    expect(fixture.s3.store.keys.filter((key) => key.includes(`/${before}.lance/`))).toEqual([]);
    await held.release();
    await late;
    expect(await idsOf(await fixture.takeOver())).toEqual([1, 3]);
    expect(fixture.s3.store.keys.filter((key) => key.includes(`/${before}.lance/`))).toEqual([]);
  });

  it("leaves the table where it is without such files", async () => {
    const owned = await fixture.takeOver();
    await settle(owned, 1, 2);
    await owned.storage.remove([{ scope: scopeId(acme), rowId: 1 }]);
    const before = (await owned.owner.read("t_acme"))!.table;
    await purge(owned);
    await purge(owned);
    expect((await owned.owner.read("t_acme"))!.table).toBe(before);
    expect(fixture.manifests.length).toBe(1);
  });
});

describe("the tables of another manifest", () => {
  it("are neither found nor removed", async () => {
    const before = await fixture.takeOver("before");
    await settle(before, 1);
    const begun = await fixture.takeOver("begun");
    expect(await idsOf(begun)).toEqual([]);
    await settle(begun, 2);
    await purge(begun);
    expect(await idsOf(begun)).toEqual([2]);
    await settle(before, 3);
    expect(await idsOf(before)).toEqual([1, 3]);
    expect(await idsOf(await fixture.takeOver("before"))).toEqual([1, 3]);
  });
});

describe("a removed tenant", () => {
  it("leaves no object, also if its owner was killed in between", async () => {
    const first = await fixture.takeOver();
    await settle(first, 1);
    fixture.s3.fail({
      matches: ({ operation }) => operation === "delete_many",
      ...{ afterEffect: false, answer: 503, isLasting: true },
    });
    await expect(first.storage.dropTenant!("acme", async () => undefined)).rejects.toMatchObject(UNAVAILABLE);
    fixture.s3.heal();
    expect(fixture.manifests.length).toBeGreaterThan(0);
    const second = await fixture.takeOver();
    expect(fixture.s3.store.keys).toEqual([]);
    expect(await idsOf(second)).toEqual([]);
    await settle(second, 2);
    await second.storage.dropTenant!("acme", async () => undefined);
    expect(fixture.s3.store.keys).toEqual([]);
  });
});
