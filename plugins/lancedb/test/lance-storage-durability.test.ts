import { mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scopeId } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { type Disk, disk } from "../src/store/disk.js";
import {
  episodic,
  listFiles,
  loadIds,
  loadRows,
  makeRow,
  StorageFixture,
  scoped,
} from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const alice = episodic("acme");
const FILES = join("table", "t_acme.lance");

/** Records and performs each sync. */
class RecordingDisk implements Disk {
  readonly files = new Set<string>();
  readonly directories = new Set<string>();
  failing = false;

  async syncFile(path: string): Promise<void> {
    if (this.failing) throw new Error("no space left");
    await disk.syncFile(path);
    this.files.add(path);
  }

  async syncDirectory(path: string): Promise<void> {
    await disk.syncDirectory(path);
    this.directories.add(path);
  }
}

describe("a sync", () => {
  it("reaches every file and directory written since the last one", async () => {
    const directory = await fixture.directory();
    const recorder = new RecordingDisk();
    const storage = await fixture.open(directory, { disk: recorder, fragmentsMax: 2 });
    for (let round = 0; round < 3; round++) {
      const before = new Set(await listFiles(directory));
      const ids = Array.from({ length: 1_500 }, (_, index) => round * 10_000 + index);
      await storage.append([
        ...scoped(alice, ...ids.map((id) => makeRow(id))),
        ...scoped(episodic("b"), makeRow(round)),
      ]);
      await storage.remove([{ scope: scopeId(alice), rowId: round * 10_000 }]);
      if (round === 1) await storage.maintain({ purge: true });
      await storage.sync();
      const files = (await listFiles(directory)).filter((file) => !before.has(file));
      expect(files.length).toBeGreaterThan(5);
      for (const file of files.filter((name) => !name.endsWith("_synced.json"))) {
        expect(recorder.files).toContain(join(directory, file));
        expect(recorder.directories).toContain(join(directory, file, ".."));
      }
      for (const file of ["latest_version_hint.json"])
        expect(recorder.files).toContain(join(directory, FILES, "_versions", file));
      recorder.files.clear();
      recorder.directories.clear();
    }
  });

  it("does nothing if nothing was written", async () => {
    const recorder = new RecordingDisk();
    const storage = await fixture.open(await fixture.directory(), { disk: recorder });
    await storage.append(scoped(alice, makeRow(1)));
    await storage.sync();
    recorder.files.clear();
    await loadRows(storage, alice);
    await storage.sync();
    expect([...recorder.files]).toEqual([]);
  });

  it("is completed by the next one after a failure", async () => {
    const directory = await fixture.directory();
    const recorder = new RecordingDisk();
    const storage = await fixture.open(directory, { disk: recorder });
    await storage.append(scoped(alice, makeRow(1)));
    recorder.failing = true;
    await expect(storage.sync()).rejects.toThrow("no space left");
    recorder.failing = false;
    await storage.sync();
    const data = await readdir(join(directory, FILES, "data"));
    expect(data.map((file) => recorder.files.has(join(directory, FILES, "data", file)))).toEqual([true]);
  });
});

describe("maintenance", () => {
  it("removes files only after their replacement is durable", async () => {
    const directory = await fixture.directory();
    const recorder = new RecordingDisk();
    const storage = await fixture.open(directory, { disk: recorder });
    await storage.append(scoped(alice, makeRow(1), makeRow(2), makeRow(3)));
    await storage.append(scoped(alice, makeRow(4)));
    await storage.remove([{ scope: scopeId(alice), rowId: 2 }]);
    await storage.sync();
    recorder.failing = true;
    await expect(storage.maintain({ purge: true })).rejects.toThrow("no space left");
    // Like after a power loss: files that were not synced do not exist.
    const survivor = await fixture.open(directory);
    expect(await loadIds(survivor, alice)).toEqual([1, 3, 4]);
    expect((await survivor.readBodies(scopeId(alice), [1, 2, 3, 4])).size).toBe(3);
    recorder.failing = false;
  });
});

/** Creates a directory as a power loss may leave it: synced up to row 1, with rows 2 and 3 written later. */
async function interrupted(): Promise<string> {
  const directory = await fixture.directory();
  const storage = await fixture.open(directory);
  await storage.append(scoped(alice, makeRow(1)));
  await storage.sync();
  const synced = await readFile(join(directory, FILES, "_synced.json"));
  await storage.append(scoped(alice, makeRow(2)));
  await storage.append(scoped(alice, makeRow(3)));
  await storage.remove([{ scope: scopeId(alice), rowId: 1 }]);
  await storage.close();
  await writeFile(join(directory, FILES, "_synced.json"), synced);
  return directory;
}

async function newestManifest(directory: string): Promise<string> {
  const [newest] = (await readdir(join(directory, FILES, "_versions"))).sort();
  return join(directory, FILES, "_versions", newest!);
}

describe("after a crash", () => {
  it("a table is as it was at the last sync", async () => {
    const directory = await interrupted();
    const storage = await fixture.open(directory);
    expect(await loadIds(storage, alice)).toEqual([1]);
    await storage.append(scoped(alice, makeRow(4)));
    await storage.maintain({ purge: true });
    expect(await loadIds(await fixture.reopen(storage, directory), alice)).toEqual([1, 4]);
  });

  it("a later torn manifest is ignored", async () => {
    const directory = await interrupted();
    await truncate(await newestManifest(directory), 0);
    expect(await loadIds(await fixture.open(directory), alice)).toEqual([1]);
  });

  it("a table is created again after an interrupted creation", async () => {
    const directory = await fixture.directory();
    await fixture.open(directory);
    const files = join(directory, FILES, "_versions");
    await mkdir(files, { recursive: true });
    await writeFile(join(files, "18446744073709551614.manifest"), "");
    const storage = await fixture.open(directory);
    await storage.append(scoped(alice, makeRow(1)));
    expect(await loadIds(storage, alice)).toEqual([1]);
  });
});
