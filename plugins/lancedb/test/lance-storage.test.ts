import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { scopeId } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { episodic, loadIds, loadRows, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const alice = episodic("acme", "alice");
const bob = episodic("acme", "bob");

describe("rows", () => {
  it("are returned as they were stored", async () => {
    const storage = await fixture.open(await fixture.directory());
    const rows = [makeRow(1), makeRow(2, { group: "g", expiresAt: 5.5, revision: 2 ** 53 - 1 })];
    await storage.append(scoped(alice, ...rows));
    const expected = rows.map(({ body: _body, ...row }) => row);
    expect(await loadRows(storage, alice)).toEqual(expected);
  });

  it("are returned without terms and vector if they had none", async () => {
    const storage = await fixture.open(await fixture.directory());
    await storage.append(
      scoped(alice, makeRow(1), makeRow(2, { terms: null, vector: null, embedder: "" }), makeRow(3)),
    );
    const [first, second, third] = await loadRows(storage, alice);
    expect(second).toMatchObject({ terms: new Uint32Array(0), vector: null, embedder: "" });
    expect(first?.vector).toEqual(Float32Array.of(1, 0.5, -0.5, 0.25));
    expect(third?.terms).toEqual(Uint32Array.of(3, 4_000_000_000));
  });

  it("are only the rows of the scope", async () => {
    const storage = await fixture.open(await fixture.directory());
    await storage.append([
      ...scoped(alice, makeRow(1)),
      ...scoped(bob, makeRow(2)),
      ...scoped(alice, makeRow(3)),
    ]);
    expect(await loadIds(storage, alice)).toEqual([1, 3]);
    expect(await loadIds(storage, bob)).toEqual([2]);
    expect(await loadIds(storage, episodic("other", "alice"))).toEqual([]);
  });

  it("survive a reopening", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    await storage.append(scoped(alice, makeRow(1)));
    expect(await loadIds(await fixture.reopen(storage, directory), alice)).toEqual([1]);
  });

  it("have their bodies read by id", async () => {
    const storage = await fixture.open(await fixture.directory());
    await storage.append([...scoped(alice, makeRow(1), makeRow(2)), ...scoped(bob, makeRow(3))]);
    const bodies = await storage.readBodies(scopeId(alice), [2, 3, 4]);
    expect([...bodies]).toEqual([[2, '{"content":"body of 2","ttl":null}']]);
  });

  it("have more bodies read than fit in one filter", async () => {
    const storage = await fixture.open(await fixture.directory());
    const ids = Array.from({ length: 2_500 }, (_, index) => index + 1);
    await storage.append(scoped(alice, ...ids.map((id) => makeRow(id))));
    expect((await storage.readBodies(scopeId(alice), ids)).size).toBe(2_500);
  });
});

describe("removal", () => {
  it("removes the named rows in any table", async () => {
    const storage = await fixture.open(await fixture.directory());
    const carol = episodic("beta", "carol");
    await storage.append([...scoped(alice, makeRow(1), makeRow(2)), ...scoped(carol, makeRow(3))]);
    await storage.remove([
      { scope: scopeId(alice), rowId: 1 },
      { scope: scopeId(carol), rowId: 3 },
      { scope: scopeId(episodic("unknown")), rowId: 9 },
    ]);
    expect(await loadIds(storage, alice)).toEqual([2]);
    expect(await loadIds(storage, carol)).toEqual([]);
  });

  it("from a row on affects only the named scopes", async () => {
    const storage = await fixture.open(await fixture.directory());
    await storage.append([...scoped(alice, makeRow(1), makeRow(5), makeRow(6)), ...scoped(bob, makeRow(7))]);
    await storage.removeFrom(5, [scopeId(alice), scopeId(episodic("unknown"))]);
    expect(await loadIds(storage, alice)).toEqual([1]);
    expect(await loadIds(storage, bob)).toEqual([7]);
  });
});

describe("scopes", () => {
  it("are the scopes with rows", async () => {
    const storage = await fixture.open(await fixture.directory());
    const shared = { tier: "semantic", tenant: "beta", namespace: "a/b" } as const;
    await storage.append([
      ...scoped(alice, makeRow(1)),
      ...scoped(bob, makeRow(2)),
      ...scoped(shared, makeRow(3)),
    ]);
    await storage.remove([{ scope: scopeId(bob), rowId: 2 }]);
    const ids = (await storage.scopes(alice.tenant)).map(scopeId);
    expect(ids).toEqual([scopeId(alice)]);
    expect(await storage.scopes("beta")).toEqual([shared]);
    expect(await storage.scopes("gamma")).toEqual([]);
  });

  it("are reported when one of their rows has expired", async () => {
    const storage = await fixture.open(await fixture.directory());
    await storage.append([...scoped(alice, makeRow(1, { expiresAt: 100 })), ...scoped(bob, makeRow(2))]);
    expect(await storage.expiredScopes(99.9, 10)).toEqual([]);
    expect(await storage.expiredScopes(100, 10)).toEqual([scopeId(alice)]);
    await storage.append(scoped(bob, makeRow(3, { expiresAt: 50 })));
    expect([...(await storage.expiredScopes(100, 10))].sort()).toEqual([scopeId(alice), scopeId(bob)]);
    expect(await storage.expiredScopes(100, 1)).toHaveLength(1);
    await storage.remove([{ scope: scopeId(alice), rowId: 1 }]);
    expect(await storage.expiredScopes(100, 10)).toEqual([scopeId(bob)]);
  });
});

describe("a read", () => {
  it("creates nothing", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    await loadRows(storage, alice);
    await storage.readBodies(scopeId(alice), [1]);
    await storage.remove([{ scope: scopeId(alice), rowId: 1 }]);
    await storage.removeFrom(1, [scopeId(alice)]);
    await storage.maintain({ purge: true });
    expect(await readdir(join(directory, "table"))).toEqual([]);
    expect(storage.stats()).toMatchObject({ tables: 0, tables_open: 0 });
  });
});
