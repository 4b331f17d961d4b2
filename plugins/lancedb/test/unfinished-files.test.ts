import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scopeId } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import {
  episodic,
  filesWith,
  listFiles,
  loadIds,
  makeRow,
  StorageFixture,
  scoped,
} from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const alice = episodic("acme");
const FILES = join("table", "t_acme.lance");

async function putDraft(directory: string, folder: string): Promise<void> {
  await mkdir(join(directory, FILES, folder), { recursive: true });
  await writeFile(join(directory, FILES, folder, ".tmpAb3xYz"), "s3cret");
}

describe("an unfinished file of a killed process", () => {
  it("is removed when the table is used again, in any folder", async () => {
    const directory = await fixture.directory();
    const before = await fixture.open(directory);
    await before.append(scoped(alice, makeRow(1)));
    await before.close();
    for (const folder of ["data", "_deletions", "_versions", "_transactions", join("_indices", "an-index")])
      await putDraft(directory, folder);
    const storage = await fixture.open(directory);
    expect(await loadIds(storage, alice)).toEqual([1]);
    expect(await filesWith(directory, "s3cret")).toEqual([]);
  });

  it("does not prevent a purge of its table, even if it came later", async () => {
    const directory = await fixture.directory();
    const storage = await fixture.open(directory);
    // With fewer rows compaction would remove the deleted row.
    const ids = Array.from({ length: 100 }, (_, id) => id);
    await storage.append(
      scoped(alice, ...ids.map((id) => makeRow(id)), makeRow(200, { body: "body-s3cret" })),
    );
    await storage.remove([{ scope: scopeId(alice), rowId: 200 }]);
    await writeFile(join(directory, FILES, "_deletions", ".tmpAb3xYz"), "");
    await storage.maintain({ purge: true });
    expect(await filesWith(directory, "body-s3cret")).toEqual([]);
    expect(await loadIds(storage, alice)).toEqual(ids);
  });

  it("leaves no rows that were written but never committed", async () => {
    const directory = await fixture.directory();
    const before = await fixture.open(directory);
    await before.append(scoped(alice, makeRow(1)));
    await before.sync();
    const names = new Set(await listFiles(directory));
    await before.append(scoped(alice, makeRow(2, { body: "body-s3cret" })));
    // Like after a kill between the file of the rows and its version.
    const killed = await fixture.copy(directory, (file) => names.has(file) || file.includes("data"));
    expect((await filesWith(killed, "body-s3cret")).length).toBe(1);
    const storage = await fixture.open(killed);
    await storage.removeFrom(2, [scopeId(alice)]);
    await storage.maintain({ purge: true });
    expect(await filesWith(killed, "body-s3cret")).toEqual([]);
    expect(await loadIds(storage, alice)).toEqual([1]);
    expect(await readdir(join(killed, FILES, "data"))).toHaveLength(1);
  });
});
