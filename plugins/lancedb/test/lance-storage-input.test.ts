import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Scope, scopeId } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { episodic, loadIds, loadRows, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const HOSTILE = [
  "' OR 1=1 --",
  "'; DROP TABLE t; --",
  "\"quoted\" and 'single'",
  "back\\slash\\'",
  "новая 記憶 😀",
  "\u0000\u0001\n\r\t\u2028",
  "%_*?[]{}()",
  "$1 :name ?1 {{x}}",
];

describe("hostile text", () => {
  it("is kept apart in namespaces", async () => {
    const storage = await fixture.open(await fixture.directory());
    const scopes = HOSTILE.map((namespace) => episodic("acme", "alice", namespace));
    await storage.append(scopes.flatMap((scope, index) => scoped(scope, makeRow(index + 1))));
    for (const [index, scope] of scopes.entries()) {
      expect(await loadIds(storage, scope)).toEqual([index + 1]);
      expect([...(await storage.readBodies(scopeId(scope), [1, 2, 3, 4, 5, 6, 7, 8])).keys()]).toEqual([
        index + 1,
      ]);
    }
    await storage.removeFrom(0, [scopeId(scopes[0]!)]);
    expect((await storage.scopes("acme")).length).toBe(HOSTILE.length - 1);
  });

  it("is returned unchanged from every text column", async () => {
    const storage = await fixture.open(await fixture.directory());
    const scope = episodic("acme");
    const rows = HOSTILE.map((text, index) =>
      makeRow(index + 1, { group: text, facets: text, body: text, embedder: text }),
    );
    await storage.append(scoped(scope, ...rows));
    const loaded = await loadRows(storage, scope);
    expect(loaded.map(({ group, facets, embedder }) => [group, facets, embedder])).toEqual(
      HOSTILE.map((text) => [text, text, text]),
    );
    const bodies = await storage.readBodies(scopeId(scope), [1, 2, 3, 4, 5, 6, 7, 8]);
    expect(HOSTILE.map((_, index) => bodies.get(index + 1))).toEqual(HOSTILE);
  });

  it("is not a tenant name", async () => {
    const storage = await fixture.open(await fixture.directory());
    for (const tenant of ["../evil", "a/b", "a.b", "", "x".repeat(65), "ä"]) {
      await expect(storage.append(scoped(episodic(tenant), makeRow(1)))).rejects.toThrow(TypeError);
      await expect(loadRows(storage, episodic(tenant))).rejects.toThrow(TypeError);
    }
  });
});

describe("tenants", () => {
  it("that differ only in case have two tables on every file system", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    const scopes: Scope[] = ["Acme", "acme", "ACME", "_acme", "con"].map((tenant) => episodic(tenant));
    await storage.append(scopes.flatMap((scope, index) => scoped(scope, makeRow(index))));
    const names = await readdir(join(directory, "table"));
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(5);
    for (const [index, scope] of scopes.entries()) expect(await loadIds(storage, scope)).toEqual([index]);
  });
});

describe("a vector", () => {
  const scope = episodic("acme");

  it("of other dimensions is refused, because LanceDB would cut or pad it", async () => {
    const storage = await fixture.open(await fixture.directory());
    for (const size of [0, 3, 5]) {
      const row = makeRow(1, { vector: new Float32Array(size) });
      await expect(storage.append(scoped(scope, row))).rejects.toThrow(TypeError);
    }
    expect(await loadIds(storage, scope)).toEqual([]);
  });

  it("with NaN or infinity is refused", async () => {
    const storage = await fixture.open(await fixture.directory());
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const row = makeRow(1, { vector: Float32Array.of(0, 0, 0, value) });
      await expect(storage.append(scoped(scope, row))).rejects.toThrow(TypeError);
    }
    expect(await loadIds(storage, scope)).toEqual([]);
  });

  it("of an embedder with other dimensions replaces the previous vectors", async () => {
    const directory = await fixture.directory();
    const first = await fixture.open(directory);
    await first.append(scoped(scope, makeRow(1)));
    const second = await fixture.reopen(first, directory, { dimensions: 2 });
    expect((await loadRows(second, scope))[0]).toMatchObject({ embedder: "static", vector: null });
    await second.append(scoped(scope, makeRow(2, { vector: null, embedder: "" })));
    const third = await fixture.reopen(second, directory);
    expect((await loadRows(third, scope)).map(({ vector }) => vector?.[0])).toEqual([1, undefined]);
    const fourth = await fixture.reopen(third, directory, { dimensions: 2 });
    await fourth.append(scoped(scope, makeRow(3, { vector: Float32Array.of(0.5, 1) })));
    const vectors = (await loadRows(fourth, scope)).map(({ vector }) => vector);
    expect(vectors).toEqual([null, null, Float32Array.of(0.5, 1)]);
  });
});

describe("a key hash", () => {
  it("that is invalid is refused", async () => {
    const storage = await fixture.open(await fixture.directory());
    for (const keyHash of ["", "ab", "z".repeat(64), "a".repeat(66)]) {
      await expect(storage.append(scoped(episodic("acme"), makeRow(1, { keyHash })))).rejects.toThrow(
        TypeError,
      );
    }
  });
});
