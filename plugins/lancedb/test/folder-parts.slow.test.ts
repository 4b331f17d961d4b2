import { cp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMemoryError } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  changeManifest,
  countOf,
  killedFolder,
  openFolder,
  segmentsOf,
  type Warning,
} from "./folder-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const open: MemoryPlugin[] = [];
let folder: string;

beforeEach(async () => {
  folder = await made();
});

afterEach(async () => {
  for (const plugin of open.splice(0)) await plugin.close!();
  await fixture.end();
});

async function made(): Promise<string> {
  const copy = join(await fixture.directory(), "copy");
  await killedFolder(await fixture.directory(), copy);
  return copy;
}

async function counted(options = {}, warnings: Warning[] = []): Promise<number[]> {
  const plugin = await openFolder(folder, options, warnings);
  const counts = await countOf(plugin);
  await plugin.close!();
  return counts;
}

async function refusal(): Promise<{ message: string; reason: unknown }> {
  const error = await openFolder(folder, { log: { repair: true } }).then(
    (plugin) => open.push(plugin),
    (reason: unknown) => reason,
  );
  if (!isMemoryError(error)) throw new Error(`not refused: ${String(error)}`);
  expect([error.code, error.detail.remedy]).toEqual(["runtime_error", "--accept-loss"]);
  return { message: error.message, reason: error.detail.reason };
}

const table = (name: string, of = folder): string => join(of, "table", `${name}.lance`);

describe("a folder with a missing part", () => {
  it("opens if it is complete", async () => {
    expect(await counted()).toEqual([20, 20]);
  });

  it("names the missing table, and opens without it if allowed", async () => {
    await rm(table("t_acme"), { recursive: true });
    const { message, reason } = await refusal();
    expect(reason).toBe("folder_incomplete");
    expect(message).toContain("t_acme is missing (10 entries). Up to 10 entries would be lost.");
    expect(await counted({ acceptLoss: true })).toEqual([10, 20]);
    expect(await counted()).toEqual([10, 20]);
  });

  it("names the missing newest segments", async () => {
    const newest = (await segmentsOf(folder)).slice(-3);
    for (const name of newest) await rm(join(folder, "log", name));
    const { message, reason } = await refusal();
    expect(reason).toBe("log_incomplete");
    for (const name of newest) expect(message).toContain(name);
    expect(await counted({ acceptLoss: true })).toEqual([20, 17]);
    expect(await counted()).toEqual([20, 17]);
  });

  it("detects a missing log", async () => {
    await rm(join(folder, "log"), { recursive: true });
    expect((await refusal()).message).toContain("the log has lost the segments");
    expect(await counted({ acceptLoss: true })).toEqual([10, 10]);
    expect(await counted()).toEqual([10, 10]);
  });

  it("detects a missing log even without folder.json", async () => {
    await rm(join(folder, "log"), { recursive: true });
    await rm(join(folder, "folder.json"));
    expect((await refusal()).message).toContain("its log and folder.json are missing");
    expect(await counted({ acceptLoss: true })).toEqual([10, 10]);
  });
});

describe("a folder with a part of another", () => {
  it("names another folder's log", async () => {
    const other = await made();
    await cp(join(other, "log"), join(folder, "log"), { recursive: true });
    expect((await refusal()).message).toContain("the file belongs to another log");
    expect(await counted({ acceptLoss: true })).toEqual([10, 10]);
  });

  it("names another folder's tables, and moves them aside", async () => {
    const other = await made();
    await rm(table("t_bravo"), { recursive: true });
    await cp(table("t_bravo", other), table("t_bravo"), { recursive: true });
    await cp(table("t_acme", other), table("t_other"), { recursive: true });
    const { message } = await refusal();
    expect(message).toContain("t_bravo belongs to another folder (10 entries)");
    expect(message).toContain("t_other belongs to another folder (0 entries)");
    expect(await counted({ acceptLoss: true })).toEqual([20, 10]);
    expect(await counted()).toEqual([20, 10]);
  });

  it("names all parts if another folder is copied over it", async () => {
    const other = await made();
    await rm(join(other, "log"), { recursive: true });
    await cp(other, folder, { recursive: true });
    expect((await refusal()).message).toContain("the file belongs to another log");
  });

  it("detects another tenant's table under a tenant's name", async () => {
    await rm(table("t_bravo"), { recursive: true });
    await rename(table("t_acme"), table("t_bravo"));
    const { message } = await refusal();
    expect(message).toContain(
      "t_acme is missing (10 entries); t_bravo belongs to another folder (10 entries)",
    );
  });

  it("names a table restored from an earlier time", async () => {
    const earlier = join(await fixture.directory(), "t_acme");
    await cp(table("t_acme"), earlier, { recursive: true });
    await counted();
    await rm(table("t_acme"), { recursive: true });
    await cp(earlier, table("t_acme"), { recursive: true });
    expect((await refusal()).message).toMatch(/t_acme has version \d+, expected \d+ \(20 entries\)/);
    expect(await counted({ acceptLoss: true })).toEqual([10, 20]);
    expect(await counted()).toEqual([10, 20]);
  });

  it("is refused if it belongs to another tier", async () => {
    await changeManifest(folder, (facts) => ({ ...facts, tier: "semantic" }));
    await expect(openFolder(folder, { acceptLoss: true })).rejects.toMatchObject({
      message: expect.stringContaining("belongs to the semantic tier"),
      detail: { reason: "folder_foreign" },
    });
  });
});

describe("an empty or corrupt small file", () => {
  it.each(["folder.json", "generation.json", "format"])("is created again: %s", async (name) => {
    for (const text of ["", "\u0000\u0000\u0000", "{", "null"]) {
      await writeFile(join(folder, name), text);
      const warnings: Warning[] = [];
      expect(await counted({}, warnings)).toEqual([20, 20]);
      expect(warnings.map(({ message }) => message)).toEqual([
        `${name === "format" ? "format" : "marker"} file is empty or corrupt, rebuilding it from the folder`,
      ]);
      expect(await counted()).toEqual([20, 20]);
    }
  });

  it("is created again if it is missing", async () => {
    for (const name of ["folder.json", "generation.json", "format"]) {
      await rm(join(folder, name));
      expect(await counted()).toEqual([20, 20]);
    }
  });
});
