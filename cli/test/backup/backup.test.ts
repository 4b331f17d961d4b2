import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backUp } from "../../src/backup/back-up.js";
import { listBackups } from "../../src/backup/backup-folder.js";
import { filesBelow } from "../../src/backup/copy-file.js";
import { restore } from "../../src/backup/restore.js";
import { snapshotCommand } from "../../src/backup/staged-snapshot.js";
import { composePlugins } from "../../src/compose/compose-plugins.js";
import { resolveConfig } from "../../src/config/resolve-config.js";
import { controlPath } from "../../src/control/control-messages.js";
import { startControlServer } from "../../src/control/control-server.js";
import { DataFolder } from "./data-folder.js";

let folder: DataFolder;
let data: string;
let backups: string;

beforeEach(async () => {
  folder = new DataFolder();
  ({ data, backups } = folder);
  await folder.store("a", "tea");
  await folder.store("b", "coffee");
  await folder.close();
});

afterEach(() => folder.remove());

describe("a backup", () => {
  it("restores the original contents", async () => {
    await writeFile(join(data, "audit.key"), "secret\n");
    const { backup, files } = await backUp({ data, folder: backups });
    await folder.forget("a");
    await folder.store("c", "water");
    await folder.close();
    const target = join(folder.root, "restored");
    expect(await restore(backups, target)).toMatchObject({ backup, files });
    expect(await folder.contents(target)).toEqual({ a: "tea", b: "coffee" });
    expect(await readFile(join(target, "audit.key"), "utf8")).toBe("secret\n");
    expect((await stat(join(target, "audit.key"))).mode & 0o777).toBe(0o600);
    expect((await stat(target)).mode & 0o777).toBe(0o700);
  });

  it("shares unchanged files with the previous backup, and survives its removal", async () => {
    const first = await backUp({ data, folder: backups });
    const again = await backUp({ data, folder: backups });
    expect([first.copied_files, again.copied_files]).toEqual([first.files, 0]);
    await folder.store("c", "x".repeat(100_000));
    await folder.close();
    const third = await backUp({ data, folder: backups, keep: 1 });
    expect(third.copied_files).toBeLessThan(third.files);
    expect(third.removed).toEqual([first, again].map(({ backup }) => backup.slice(backups.length + 1)));
    expect(third.kept.map(({ bytes, problem }) => [bytes, problem])).toEqual([[third.bytes, undefined]]);
    const target = join(folder.root, "restored");
    await restore(third.backup, target);
    expect(await folder.contents(target)).toEqual({ a: "tea", b: "coffee", c: "x".repeat(100_000) });
  });

  it("is taken from a running host without changing its folder", async () => {
    const plugin = await folder.open();
    await folder.store("c", "water");
    const tiers = { plugins: { episodic: plugin }, dataDirectories: { episodic: join(data, "episodic") } };
    const server = await startControlServer(controlPath(data), { snapshot: snapshotCommand(tiers, data) });
    try {
      await backUp({ data, folder: backups });
      const direct = { onStore() {} } as unknown as MemoryPlugin;
      tiers.plugins.episodic = direct as typeof plugin;
      await expect(backUp({ data, folder: backups })).rejects.toMatchObject({ code: "unsupported" });
    } finally {
      await server.close();
    }
    expect((await readdir(data)).sort()).toEqual(["episodic"]);
    expect(await listBackups(backups)).toHaveLength(1);
    const target = join(folder.root, "restored");
    await restore(backups, target);
    expect(await folder.contents(target)).toEqual({ a: "tea", b: "coffee", c: "water" });
  });

  it("contains tiers that the running host does not serve, and is refused while another process does", async () => {
    await folder.open();
    const server = await startControlServer(controlPath(data), {
      snapshot: snapshotCommand({ plugins: {}, dataDirectories: {} }, data),
    });
    try {
      await expect(backUp({ data, folder: backups })).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining(`${join(data, "episodic", "lock")} is locked by process`),
      });
      expect(await filesBelow(backups)).toEqual([]);
      await folder.close();
      await backUp({ data, folder: backups });
    } finally {
      await server.close();
    }
    const target = join(folder.root, "restored");
    await restore(backups, target);
    expect(await folder.contents(target)).toEqual({ a: "tea", b: "coffee" });
  });

  it("is refused if a process holds the folder but does not respond, and leaves nothing", async () => {
    await folder.open();
    await expect(backUp({ data, folder: backups })).rejects.toMatchObject({ code: "conflict" });
    expect(await filesBelow(backups)).toEqual([]);
  });

  it("contains only the tier folders and the audit secret", async () => {
    await writeFile(join(data, "keys.nk"), "secret\n");
    await mkdir(join(data, "gateway"));
    await writeFile(join(data, "gateway", "sessions"), "1\n");
    const { backup } = await backUp({ data, folder: backups });
    expect((await readdir(backup)).sort()).toEqual(["backup.json", "episodic"]);
  });

  it("is refused inside the data folder, without a data folder, and for its parent folder", async () => {
    await expect(backUp({ data, folder: join(data, "backups") })).rejects.toThrow(
      /is inside the data folder/,
    );
    const parent = join(folder.root, "parent");
    await mkdir(join(parent, "data", "episodic"), { recursive: true });
    for (const wrong of [join(data, "none"), parent])
      await expect(backUp({ data: wrong, folder: backups })).rejects.toThrow(`${wrong} is not a data folder`);
  });

  it("removes the remains of killed backups", async () => {
    const { backup } = await backUp({ data, folder: backups });
    await mkdir(`${backup}.partial`);
    await mkdir(join(data, "snapshot.0123abcd"));
    await backUp({ data, folder: backups });
    expect((await readdir(backups)).filter((name) => name.endsWith(".partial"))).toEqual([]);
    expect(await readdir(data)).toEqual(["episodic"]);
  });
});

describe("a restore", () => {
  it("refuses a folder that is not empty", async () => {
    await backUp({ data, folder: backups });
    await expect(restore(backups, data)).rejects.toThrow(/is not empty/);
    expect(await folder.contents(data)).toEqual({ a: "tea", b: "coffee" });
  });

  it.each(["changed", "missing"])("reports a file that is %s, and leaves nothing", async (how) => {
    const { backup } = await backUp({ data, folder: backups });
    const file = (await filesBelow(backup)).find((path) => path.endsWith(".lance"))!;
    const bytes = await readFile(join(backup, file));
    bytes[bytes.length >> 1]! ^= 1;
    if (how === "changed") await writeFile(join(backup, file), bytes);
    else await rm(join(backup, file));
    const target = join(folder.root, "restored");
    const detail = { reason: "backup_damaged", file: join(backup, file) };
    await expect(restore(backups, target)).rejects.toMatchObject({ code: "runtime_error", detail });
    expect(await readdir(target)).toEqual([]);
  });

  it("keeps a host from starting after it was killed, and can be repeated", async () => {
    const { backup } = await backUp({ data, folder: backups });
    const target = join(folder.root, "restored");
    await mkdir(join(target, "semantic"), { recursive: true });
    await writeFile(join(target, "restore.partial"), `${backup}\n`);
    const config = await resolveConfig({ flags: { data: target }, env: {} });
    const loss = { repair: false, acceptLoss: false, readOnly: false };
    await expect(composePlugins(config, loss)).rejects.toThrow(/only partly restored/);
    await expect(backUp({ data: target, folder: backups })).rejects.toThrow(/only partly restored/);
    await restore(backup, target);
    expect(await readdir(target)).toEqual(["episodic"]);
    expect(await folder.contents(target)).toEqual({ a: "tea", b: "coffee" });
  });

  it("rejects a folder that is not a backup, and paths outside of the backup", async () => {
    const target = join(folder.root, "restored");
    await expect(restore(data, target)).rejects.toThrow(/is neither a backup nor/);
    const { backup } = await backUp({ data, folder: backups });
    const manifest = JSON.parse(await readFile(join(backup, "backup.json"), "utf8"));
    manifest.files[0].path = "../outside";
    await writeFile(join(backup, "backup.json"), JSON.stringify(manifest));
    await expect(restore(backup, target)).rejects.toThrow(/backup\.json is damaged/);
  });
});
