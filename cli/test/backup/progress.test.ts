import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { backUp } from "../../src/backup/back-up.js";
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
