import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { scopeId } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { episodic, listFiles, loadRows, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const alice = episodic("acme");
const OLD = Float32Array.of(1, 0.5, -0.5, 0.25);
const NEW = Float32Array.of(0.75, -0.125, 0.625);
/** Embedder of rows with dropped vectors. */
const DROPPED = "(dropped)";
const ids = { analyzer: "english", embedder: "new" };

async function filesWithVector(directory: string, vector: Float32Array): Promise<string[]> {
  const bytes = Buffer.from(vector.buffer);
  const found: string[] = [];
  for (const file of await listFiles(directory)) {
    if ((await readFile(join(directory, file))).includes(bytes)) found.push(file);
  }
  return found;
}

/** Creates a table with vectors of four dimensions and opens it for an embedder with three. */
async function changedStorage(directory: string) {
  const storage = await fixture.open(directory, { embedder: "static" });
  await storage.append(
    scoped(alice, makeRow(1), makeRow(2, { vector: null }), makeRow(3, { embedder: "", vector: null })),
  );
  return fixture.reopen(storage, directory, { dimensions: 3, embedder: "new" });
}

describe("a table after a change of its embedder", () => {
  it("returns rows of another embedder without a vector, before and after the first new one", async () => {
    const storage = await changedStorage(await fixture.directory());
    expect(await loadRows(storage, alice)).toMatchObject([
      { rowId: 1, vector: null, embedder: "static" },
      { rowId: 2, vector: null, embedder: "static" },
      { rowId: 3, vector: null, embedder: "" },
    ]);
    await storage.append(scoped(alice, makeRow(4, { embedder: "new", vector: NEW })));
    expect(await loadRows(storage, alice)).toMatchObject([
      { rowId: 1, embedder: DROPPED, vector: null },
      { rowId: 2, embedder: DROPPED, vector: null },
      { rowId: 3, embedder: DROPPED, vector: null },
      { rowId: 4, embedder: "new", vector: NEW },
    ]);
  });

  it("has all rows embedded again after a rollback", async () => {
    const directory = await fixture.directory();
    const storage = await changedStorage(directory);
    await storage.append(scoped(alice, makeRow(4, { embedder: "new", vector: NEW })));
    const back = await fixture.reopen(storage, directory, { embedder: "static" });
    const { outdatedCount } = await back.outdated({ ...ids, embedder: "static" }, 10);
    expect(outdatedCount).toBe(4);
  });

  it("keeps the vectors while the host has no embedder, also from the log", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory, { embedder: "static" });
    await storage.append(scoped(alice, makeRow(1)));
    const without = await fixture.reopen(storage, directory, { dimensions: 128, embedder: "" });
    await without.append(scoped(alice, makeRow(2)));
    const back = await fixture.reopen(without, directory, { embedder: "static" });
    expect((await loadRows(back, alice)).map(({ vector }) => vector?.[0])).toEqual([1, 2]);
  });

  it("counts the rows to be embedded again, and their scopes", async () => {
    const storage = await changedStorage(await fixture.directory());
    const bob = episodic("acme", "bob");
    await storage.append(scoped(bob, makeRow(4, { embedder: "new", vector: NEW })));
    const outdated = { rowCount: 4, outdatedCount: 3, scopes: [scopeId(alice)] };
    expect(await storage.outdated(ids, 10)).toEqual(outdated);
    expect((await storage.outdated({ ...ids, analyzer: "other" }, 10)).outdatedCount).toBe(4);
    expect((await storage.outdated({ ...ids, analyzer: "other" }, 1)).scopes).toHaveLength(1);
    expect((await storage.outdated({ analyzer: "other", embedder: undefined }, 10)).outdatedCount).toBe(0);
  });

  it("accepts the log's rows of the other embedder, without their vectors", async () => {
    const storage = await changedStorage(await fixture.directory());
    await storage.append(scoped(alice, makeRow(5), makeRow(6, { embedder: "new", vector: NEW })));
    const rows = await loadRows(storage, alice);
    expect(rows.slice(3)).toMatchObject([
      { embedder: DROPPED, vector: null },
      { embedder: "new", vector: NEW },
    ]);
  });

  it("has no bytes of the other vectors on disk when their rows are removed, and keeps the rest", async () => {
    const directory = await fixture.directory();
    const storage = await changedStorage(directory);
    await storage.append(scoped(alice, makeRow(4, { embedder: "new", vector: NEW })));
    expect((await filesWithVector(directory, OLD)).length).toBeGreaterThan(0);
    await storage.remove([1, 2, 3].map((rowId) => ({ scope: scopeId(alice), rowId })));
    await storage.maintain({ purge: true });
    expect(await filesWithVector(directory, OLD)).toEqual([]);
    expect(await filesWithVector(directory, NEW)).toHaveLength(1);
    expect(await loadRows(storage, alice)).toMatchObject([{ rowId: 4, embedder: "new", vector: NEW }]);
    const again = await fixture.reopen(storage, directory, { dimensions: 3, embedder: "new" });
    await again.append(scoped(alice, makeRow(7, { embedder: "new", vector: NEW })));
    expect(await loadRows(again, alice)).toHaveLength(2);
  });
});
