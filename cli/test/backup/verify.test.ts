import { readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeManifest } from "../../../plugins/lancedb/test/folder-fixture.js";
import { backUp } from "../../src/backup/back-up.js";
import { writeManifest } from "../../src/backup/backup-manifest.js";
import { filesBelow, hashOf } from "../../src/backup/copy-file.js";
import { restore } from "../../src/backup/restore.js";
import { snapshotCommand } from "../../src/backup/staged-snapshot.js";
import { verify } from "../../src/backup/verify.js";
import { resolveConfig } from "../../src/config/resolve-config.js";
import { controlPath } from "../../src/control/control-messages.js";
import { startControlServer } from "../../src/control/control-server.js";
import { DataFolder } from "./data-folder.js";

const silent = { debug() {}, info() {}, warn() {}, error() {} };

let folder: DataFolder;
let data: string;

beforeEach(async () => {
  folder = new DataFolder();
  ({ data } = folder);
  await folder.store("a", `MARK${"x".repeat(500)}`);
  await folder.store("b", "coffee");
  await folder.store("a", "MARK again");
  await (await folder.open()).maintain();
  await folder.store("b", "logged only");
  await folder.forget("a");
  await folder.close();
});

afterEach(() => folder.remove());

async function verified(path: string) {
  const config = await resolveConfig({ flags: { data }, env: {} });
  const reports = await verify(path, config, silent);
  return { problems: reports.flatMap(({ problems }) => problems), reports };
}

/** Returns all files below a folder with their times, to check that nothing has changed. */
async function stateOf(path: string): Promise<string[]> {
  const files = await filesBelow(path);
  return Promise.all(
    files.map(
      async (file) => `${file} ${(await stat(join(path, file))).mtimeMs} ${await hashOf(join(path, file))}`,
    ),
  );
}

/** Flips one bit in the middle of a file, or of the second letter of a text. */
async function damage(path: string, text?: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[text === undefined ? bytes.length >> 1 : bytes.indexOf(text) + 1]! ^= 1;
  await writeFile(path, bytes);
}

/** Damages the one file of a given name that contains the text. */
async function damageFileWith(text: string, name: RegExp): Promise<void> {
  const paths = (await filesBelow(data)).filter((file) => name.test(file)).map((file) => join(data, file));
  const contents = await Promise.all(paths.map((path) => readFile(path)));
  const index = contents.findIndex((bytes) => bytes.includes(text));
  expect(index).toBeGreaterThanOrEqual(0);
  await damage(paths[index]!, text);
}

async function find(pattern: RegExp, below = data): Promise<string> {
  const path = (await filesBelow(below)).filter((file) => pattern.test(file)).at(-1);
  if (path === undefined) throw new Error(`no file like ${pattern}`);
  return join(below, path);
}

describe("a folder that is verified", () => {
  it("is reported as intact, and is not changed", async () => {
    const before = await stateOf(data);
    const { problems, reports } = await verified(data);
    expect(problems).toEqual([]);
    expect(reports).toMatchObject([{ read: "data", tiers: [{ tier: "episodic" }], orphans: [] }]);
    expect(await stateOf(data)).toEqual(before);
    expect(await readdir(data)).toEqual(["episodic"]);
  });

  it("is read from a snapshot while a host runs", async () => {
    const plugin = await folder.open();
    await expect(verified(data)).rejects.toMatchObject({ code: "conflict" });
    const tiers = { plugins: { episodic: plugin }, dataDirectories: { episodic: join(data, "episodic") } };
    const server = await startControlServer(controlPath(data), { snapshot: snapshotCommand(tiers, data) });
    try {
      await folder.store("c", "water");
      const { problems, reports } = await verified(data);
      expect(problems).toEqual([]);
      expect(reports).toMatchObject([{ read: "snapshot", tiers: [{ tier: "episodic" }] }]);
    } finally {
      await server.close();
    }
  });

  it.each([
    ["a record of the log", "logged only"],
    ["the head of a segment", "MEMBUSLG"],
  ])("reports damage to %s", async (_what, text) => {
    await damageFileWith(text, /\.log$/);
    expect((await verified(data)).problems).toContainEqual(expect.stringMatching(/\.log, byte \d+/));
  });

  it("reports a row with changed bytes", async () => {
    await damageFileWith("logged only", /data\/.*\.lance$/);
    expect((await verified(data)).problems).toContainEqual(
      expect.stringMatching(/^the body of row \d+ of .* in t_acme: the checksum does not match$/),
    );
  });

  it("reports a missing table, and an unreadable one", async () => {
    const files = (await filesBelow(data)).filter((path) => /_versions\/\d+\.manifest$/.test(path));
    for (const path of files) await writeFile(join(data, path), "nothing");
    expect((await verified(data)).problems).toContainEqual(
      expect.stringMatching(/t_acme\.lance cannot be read/),
    );
    await rm(join(data, "episodic/table/t_acme.lance"), { recursive: true });
    expect((await verified(data)).problems).toContainEqual("t_acme is missing");
  });

  it("reports wrong counts, and revisions that were never assigned", async () => {
    await changeManifest(join(data, "episodic"), ({ parts, ...facts }) => ({
      ...{ ...facts, newestAt: 1_000 },
      parts: parts.map((part) => ({ ...part, rowCount: part.rowCount + 90 })),
    }));
    const { problems } = await verified(data);
    expect(problems).toContainEqual(expect.stringMatching(/t_acme has \d+ rows, fewer than the 9\d/));
    expect(problems).toContainEqual(
      expect.stringMatching(/has a revision later than the newest recorded time/),
    );
  });

  it("lists unused files", async () => {
    const draft = join(data, "episodic/table/t_acme.lance/data/.tmp1");
    const lost = join(data, "episodic/table/t_acme.lance/data/0123.lance");
    for (const path of [draft, lost]) await writeFile(path, "x");
    const { problems, reports } = await verified(data);
    expect(problems).toEqual([]);
    expect(reports[0]!.orphans.toSorted()).toEqual([draft, lost].toSorted());
  });

  it("is rejected if it is not a data folder", async () => {
    await expect(verified(join(data, "none"))).rejects.toThrow(/is not a data folder/);
    await expect(verified(folder.root)).rejects.toThrow(/is not a data folder/);
  });
});

describe("a backup that is verified", () => {
  it.each<[string, (manifest: { files: { path: string }[]; tiers?: string[] }) => void]>([
    ["lists no file", (manifest) => manifest.files.splice(0)],
    ["lists one file less", (manifest) => manifest.files.pop()],
    ["has another time", (manifest) => Object.assign(manifest, { takenAt: "2020-01-01T00:00:00.000Z" })],
    ["has no tiers", (manifest) => Object.assign(manifest, { tiers: undefined })],
  ])("is damaged if its manifest %s", async (_, edit) => {
    const { backup } = await backUp({ data, folder: folder.backups });
    const path = join(backup, "backup.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    edit(manifest);
    await writeFile(path, JSON.stringify(manifest, undefined, 1));
    expect((await verified(backup)).problems).toEqual([`${path} is damaged`]);
    await expect(restore(backup, join(folder.root, "restored"))).rejects.toMatchObject({
      code: "runtime_error",
    });
  });

  it("is damaged if it lists no file of a tier", async () => {
    const { backup } = await backUp({ data, folder: folder.backups });
    const path = join(backup, "backup.json");
    const { sha256: _, ...manifest } = JSON.parse(await readFile(path, "utf8"));
    await rm(path);
    await writeManifest(backup, { ...manifest, files: [] });
    expect((await verified(backup)).problems).toEqual([`${path} is damaged`]);
  });

  it("is damaged if a file or a folder is a symbolic link, which is not followed", async () => {
    const { backup } = await backUp({ data, folder: folder.backups });
    const elsewhere = join(folder.root, "elsewhere");
    await rename(join(backup, "episodic"), elsewhere);
    await symlink(elsewhere, join(backup, "episodic"));
    const { problems } = await verified(backup);
    expect(problems[0]).toMatch(/leads through a symbolic link$/);
    const target = join(folder.root, "restored");
    await expect(restore(backup, target)).rejects.toThrow("leads through a symbolic link");
    expect(await readdir(target)).toEqual([]);
  });

  it("is reported as intact. Damage to a shared file is reported for both backups, and unknown files are listed", async () => {
    const first = await backUp({ data, folder: folder.backups });
    const second = await backUp({ data, folder: folder.backups });
    expect((await verified(folder.backups)).problems).toEqual([]);
    const file = await find(/data\/.*\.lance$/, first.backup);
    await damage(file);
    const { problems, reports } = await verified(folder.backups);
    expect(reports.map(({ folder: path }) => path)).toEqual([first.backup, second.backup]);
    for (const { backup } of [first, second]) {
      const shared = file.replace(first.backup, backup);
      expect(problems).toContain(`${shared} has a wrong checksum`);
    }
    await rm(file);
    await writeFile(join(first.backup, "strange"), "x");
    const again = await verified(first.backup);
    expect(again.problems).toContain(`${file} is missing`);
    expect(again.reports[0]!.orphans).toContain(join(first.backup, "strange"));
    await writeFile(join(second.backup, "backup.json"), "{");
    expect((await verified(second.backup)).problems).toEqual([`${second.backup}/backup.json is damaged`]);
  });
});
