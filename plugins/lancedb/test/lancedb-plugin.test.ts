import { chmod, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin, PluginServices } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { createLanceDbPlugin, type LanceDbPluginOptions } from "../src/index.js";
import { openFolder, type Warning } from "./folder-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const open: MemoryPlugin[] = [];
afterEach(async () => {
  for (const plugin of open.splice(0)) await plugin.close!();
  await fixture.end();
});

function services(dataDirectory: string): PluginServices {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  return { tier: "episodic", clock: systemClock, logger, dataDirectory, notify() {} };
}

async function openPlugin(directory: string, options?: LanceDbPluginOptions): Promise<MemoryPlugin> {
  const plugin = createLanceDbPlugin(options);
  await plugin.open!(services(directory));
  open.push(plugin);
  return plugin;
}

describe("a directory", () => {
  it("has one owner at a time", async () => {
    const directory = await fixture.directory();
    const first = await openPlugin(directory);
    await expect(openPlugin(directory)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`locked by process ${process.pid}`),
    });
    await first.close!();
    open.splice(0);
    await openPlugin(directory);
    expect((await readdir(directory)).sort()).toEqual([
      ...["folder.json", "format", "generation.json"],
      ...["lock", "log", "table"],
    ]);
  });

  it("of a newer format is refused, and not locked", async () => {
    const directory = await fixture.directory();
    await writeFile(join(directory, "format"), '{"format":9}');
    await expect(openPlugin(directory)).rejects.toMatchObject({ code: "unsupported" });
    expect(await readdir(directory)).toEqual(["format"]);
  });
});

describe.runIf(process.platform !== "win32")("a new directory (on a system with modes)", () => {
  it("is accessible only by its owner, whatever the umask, and an open one causes a warning", async () => {
    const parent = await fixture.directory();
    const mask = process.umask(0o022);
    try {
      const directory = join(parent, "data", "episodic");
      await openFolder(directory).then((plugin) => plugin.close!());
      const modes = await Promise.all(
        ["..", ".", "log", "folder.json", "format"].map(async (name) => {
          return ((await stat(join(directory, name))).mode & 0o777).toString(8);
        }),
      );
      expect(modes).toEqual(["700", "700", "700", "600", "600"]);
      await chmod(directory, 0o755);
      const warnings: Warning[] = [];
      await openFolder(directory, {}, warnings).then((plugin) => plugin.close!());
      expect(warnings).toEqual([
        { fields: { directory, mode: "755" }, message: expect.stringContaining("chmod 700") },
      ]);
    } finally {
      process.umask(mask);
    }
  });
});

describe("options", () => {
  it("that are unknown or out of range are refused", async () => {
    const directory = await fixture.directory();
    const misspelt = { fragmentMax: 3 } as LanceDbPluginOptions["storage"];
    await expect(openPlugin(directory, { storage: misspelt! })).rejects.toThrow(
      "did you mean `fragmentsMax`?",
    );
    await expect(openPlugin(directory, { storage: { openTablesMax: 0 } })).rejects.toThrow(TypeError);
  });
});
