import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectEqual, expectTrue } from "../expectation.js";
import type { StorageCheck } from "../storage-check.js";
import { StorageProcess } from "../storage-process.js";
import { openPlugin, storedTexts, storeEntry } from "../suite-plugin.js";
import { makeRows, ownScope, scoped } from "../test-rows.js";

const ALICE = ownScope("alice");
/** Names of the kit's files in the folder. */
const OF_THE_KIT = ["format", "reserve", "folder.json", "other.json", "lock/holder.json", "log/00000001.log"];
const IS_THE_KITS = /^(log|lock|format|reserve)$|\.json$/;

const kitFiles: StorageCheck = {
  id: "folder/files-of-the-kit",
  rule: "`log`, `lock`, `format`, `reserve` and `*.json` in the folder belong to the kit: a storage does not create, change or remove them.",
  async run(bench) {
    const directory = await bench.directory();
    for (const name of ["lock", "log"]) await mkdir(join(directory, name));
    for (const name of OF_THE_KIT) await writeFile(join(directory, name), `the kit's ${name}`);
    const before = await readdir(directory);
    let storage = await bench.open(directory);
    await storage.append(scoped(ALICE, makeRows(1, 5)));
    await storage.remove([{ scope: scoped(ALICE, makeRows(1, 1))[0]!.scope, rowId: 1 }]);
    await storage.sync();
    await storage.maintain({ purge: true });
    storage = await bench.reopen(storage, directory);
    await bench.close(storage);
    const added = (await readdir(directory)).filter((name) => !before.includes(name));
    expectEqual(
      added.filter((name) => IS_THE_KITS.test(name)),
      [],
      "files with names of the kit that the storage created",
    );
    for (const name of OF_THE_KIT) {
      const text = await readFile(join(directory, name), "utf8").catch(String);
      expectEqual(text, `the kit's ${name}`, `content of ${name} after the storage was used`);
    }
  },
};

const oneOwner: StorageCheck = {
  id: "folder/one-owner",
  rule: "The kit ensures that a folder has one owner: a second process is refused while the first lives, and accepted after it was killed.",
  async run(bench) {
    const directory = await bench.directory();
    const { subject, options } = bench;
    const first = new StorageProcess(subject, options.checkTimeoutMs, { action: "own", directory });
    try {
      await first.expectNext();
      expectEqual(
        await refusalOf(() => openPlugin(subject.createStorage, directory)),
        "conflict",
        "result of opening a folder that another process has open",
      );
    } finally {
      await first.kill();
    }
    const plugin = await openPlugin(subject.createStorage, directory);
    try {
      await storeEntry(plugin, "by this process");
      const stored = ["by the other process", "by this process"];
      expectEqual(await storedTexts(plugin), stored, "entries after the other process was killed");
      const second = new StorageProcess(subject, options.checkTimeoutMs, { action: "own", directory });
      const report = await second.next();
      await second.kill();
      const code = report?.event === "failed" ? report.code : report?.event;
      expectEqual(code, "conflict", "error of another process that opens the folder of this one");
      expectEqual(await storedTexts(plugin), stored, "entries after another process was refused");
    } finally {
      await plugin.close();
    }
    await keepsBoth(subject.createStorage, directory);
  },
};

/** Expects both entries from storage, after the close has flushed them. */
async function keepsBoth(createStorage: Parameters<typeof openPlugin>[0], directory: string): Promise<void> {
  const plugin = await openPlugin(createStorage, directory);
  try {
    expectEqual(
      await storedTexts(plugin),
      ["by the other process", "by this process"],
      "entries after reopening",
    );
    expectTrue(plugin.stats().backlog_rows === 0, "entries that are only in the log", "none", plugin.stats());
  } finally {
    await plugin.close();
  }
}

async function refusalOf(open: () => ReturnType<typeof openPlugin>): Promise<unknown> {
  try {
    await (await open()).close();
    return "no refusal";
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}

export const folderChecks = [kitFiles, oneOwner];
