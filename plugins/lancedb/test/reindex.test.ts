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
const ids = { analyzer: "english", embedder: "new" };

async function filesWithVector(directory: string, vector: Float32Array): Promise<string[]> {
  const bytes = Buffer.from(vector.buffer);
  const found: string[] = [];
  for (const file of await listFiles(directory)) {
    if ((await readFile(join(directory, file))).includes(bytes)) found.push(file);
  }
  return found;
}

/** A table of rows of an embedder of four dimensions, opened for one of three. */
async function changedStorage(directory: string) {
  const storage = await fixture.open(directory, { embedder: "static" });
  await storage.append(
    scoped(alice, makeRow(1), makeRow(2, { vector: null }), makeRow(3, { embedder: "", vector: null })),
  );
  return fixture.reopen(storage, directory, { dimensions: 3, embedder: "new" });
}

describe("a table whose embedder has changed", () => {
  it("gives the former vectors as such, before and after the first of the new ones", async () => {
    const storage = await changedStorage(await fixture.directory());
    const former = { embedder: "static", vector: OLD };
    expect(await loadRows(storage, alice)).toMatchObject([
      { rowId: 1, vector: null, former },
      { rowId: 2, vector: null, former: { embedder: "static", vector: null } },
      { rowId: 3, vector: null, embedder: "" },
    ]);
    await storage.append(scoped(alice, makeRow(4, { embedder: "new", vector: NEW, former })));
    expect(await loadRows(storage, alice)).toMatchObject([
      { rowId: 1, embedder: "", vector: null, former },
      { rowId: 2, embedder: "", vector: null, former: { embedder: "static", vector: null } },
      { rowId: 3, embedder: "", vector: null },
      { rowId: 4, embedder: "new", vector: NEW, former },
    ]);
  });

  it("counts what is to be embedded anew, and where", async () => {
    const storage = await changedStorage(await fixture.directory());
    const bob = episodic("acme", "bob");
    await storage.append(scoped(bob, makeRow(4, { embedder: "new", vector: NEW })));
    const outdated = { rowCount: 4, outdatedCount: 3, scopes: [scopeId(alice)] };
    expect(await storage.outdated(ids, 10)).toEqual(outdated);
    expect((await storage.outdated({ ...ids, analyzer: "other" }, 10)).outdatedCount).toBe(4);
    expect((await storage.outdated({ ...ids, analyzer: "other" }, 1)).scopes).toHaveLength(1);
    expect((await storage.outdated({ analyzer: "other", embedder: undefined }, 10)).outdatedCount).toBe(3);
  });

  it("takes in what the log still has of the former embedder", async () => {
    const storage = await changedStorage(await fixture.directory());
    await storage.append(scoped(alice, makeRow(5), makeRow(6, { embedder: "new", vector: NEW })));
    const rows = await loadRows(storage, alice);
    expect(rows.slice(3)).toMatchObject([
      {
        embedder: "",
        vector: null,
        former: { embedder: "static", vector: Float32Array.of(5, 0.5, -0.5, 0.25) },
      },
      { embedder: "new", vector: NEW },
    ]);
  });

  it("drops the former vectors, from disk as well, and keeps the rest", async () => {
    const directory = await fixture.directory();
    const storage = await changedStorage(directory);
    await storage.append(
      scoped(
        alice,
        makeRow(4, { embedder: "new", vector: NEW, former: { embedder: "static", vector: OLD } }),
      ),
    );
    await storage.remove([1, 2, 3].map((rowId) => ({ scope: scopeId(alice), rowId })));
    expect((await filesWithVector(directory, OLD)).length).toBeGreaterThan(0);
    await storage.dropFormer();
    await storage.maintain({ purge: false });
    expect(await filesWithVector(directory, OLD)).toEqual([]);
    expect(await filesWithVector(directory, NEW)).toHaveLength(1);
    const [row, ...others] = await loadRows(storage, alice);
    expect([row, others]).toMatchObject([{ rowId: 4, embedder: "new", vector: NEW }, []]);
    expect(row).not.toHaveProperty("former");
    const again = await fixture.reopen(storage, directory, { dimensions: 3, embedder: "new" });
    await again.append(scoped(alice, makeRow(7, { embedder: "new", vector: NEW })));
    expect(await loadRows(again, alice)).toHaveLength(2);
  });
});
