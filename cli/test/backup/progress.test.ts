import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { killedFolder } from "../../../plugins/lancedb/test/folder-fixture.js";
import { backUp } from "../../src/backup/back-up.js";
import { ByteProgress } from "../../src/backup/byte-progress.js";
import { restore } from "../../src/backup/restore.js";
import { verify } from "../../src/backup/verify.js";
import { resolveConfig } from "../../src/config/resolve-config.js";
import { DataFolder } from "./data-folder.js";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Bytes of a file that is read in several chunks. */
const LARGE_BYTES = 300_000;

let folder: DataFolder;

beforeEach(async () => {
  folder = new DataFolder();
  await folder.store("a", "tea");
  await folder.close();
  await writeFile(join(folder.data, "audit.key"), "x".repeat(LARGE_BYTES));
});

afterEach(() => folder.remove());

/** Records the progress of a task. */
function recorder() {
  const seen: { readonly done: number; readonly total: number; readonly note: string }[] = [];
  const onProgress = (done: number, total: number, note: string) => void seen.push({ done, total, note });
  return { seen, onProgress };
}

it("a backup counts the bytes that it copies or shares, within large files", async () => {
  const { data, backups } = folder;
  for (const [kind, steps] of [["copied", 5] as const, ["shared", 1] as const]) {
    const { seen, onProgress } = recorder();
    const { bytes } = await backUp({ data, folder: backups, onProgress });
    expect([kind, seen.at(-1)]).toMatchObject([kind, { done: bytes, total: bytes }]);
    expect(seen.filter(({ note }) => note === "audit.key")).toHaveLength(steps);
  }
});

it("a restore and a verification count the bytes of the backup", async () => {
  const { data, backups } = folder;
  const { backup, bytes } = await backUp({ data, folder: backups });
  const restored = recorder();
  await restore(backup, join(folder.root, "restored"), restored.onProgress);
  expect(restored.seen.at(-1)).toMatchObject({ done: bytes, total: bytes });
  const config = await resolveConfig({ flags: { data }, env: {} });
  const verified = recorder();
  await verify(backup, config, silent, verified.onProgress);
  expect(verified.seen.filter(({ total }) => total === bytes).at(-1)).toMatchObject({ done: bytes });
  const last = verified.seen.at(-1)!;
  expect(last.done).toBe(last.total);
  expect(verified.seen.map(({ note }) => note)).toContain("reading episodic");
});

it("a verification moves within a tier, by segment and table", async () => {
  const { data, root } = folder;
  await killedFolder(join(root, "busy"), join(data, "episodic"));
  const config = await resolveConfig({ flags: { data }, env: {} });
  const { seen, onProgress } = recorder();
  await verify(data, config, silent, onProgress);
  const notes = [...new Set(seen.map(({ note }) => note))];
  expect(notes).toEqual([
    ...[
      "reading episodic",
      "reading episodic, log",
      "reading episodic, t_acme",
      "reading episodic, t_bravo",
      "",
    ],
  ]);
  const amounts = seen.map(({ done }) => done);
  expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
  expect(new Set(amounts).size).toBeGreaterThan(10);
  // Only markers are not counted as they are read. The reserve of the disk is no part of the total.
  const last = seen.at(-1)!;
  const read = seen.findLast(({ note }) => note === "reading episodic, t_bravo")!;
  expect(last.done - read.done).toBeLessThan(10_000);
  expect(last.done).toBe(last.total);
});

it("a section of a task ends complete, and never counts more than its size", () => {
  const { seen, onProgress } = recorder();
  const progress = new ByteProgress(150, onProgress);
  const first = progress.section(100);
  first.add(40, "a");
  first.end("b");
  const second = progress.section(50);
  second.add(70, "c");
  second.end("d");
  expect(seen.map(({ done, note }) => [done, note])).toEqual([
    [40, "a"],
    [100, "b"],
    [150, "c"],
    [150, "d"],
  ]);
});
