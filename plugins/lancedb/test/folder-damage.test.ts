import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countOf, killedFolder, openFolder, type Warning } from "./folder-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
let intact: string;
beforeAll(async () => {
  intact = join(await fixture.directory(), "copy");
  await killedFolder(await fixture.directory(), intact);
});
afterAll(() => fixture.end());

async function copy(): Promise<string> {
  const folder = join(await fixture.directory(), "copy");
  await cp(intact, folder, { recursive: true });
  return folder;
}

async function counted(folder: string, warnings: Warning[] = []): Promise<number[]> {
  const plugin = await openFolder(folder, {}, warnings);
  const counts = await countOf(plugin);
  await plugin.close!();
  return counts;
}

describe("folder.json", () => {
  /** Changes that leave valid JSON of the right form. */
  it.each<[string, (text: string) => string]>([
    [
      "the id of the folder",
      (text) => text.replace(/"id":"(.)/, (all, c) => all.slice(0, -1) + (c === "0" ? "1" : "0")),
    ],
    ["the last flushed record", (text) => text.replace(/"flushedSeq":\d+/, '"flushedSeq":40')],
    ["the name of a table", (text) => text.replace('"name":"t_acme"', '"name":"t_acmf"')],
    [
      "the id of a log segment",
      (text) =>
        text.replace(
          /("log":\[\{"name":"[^"]+","id":)(\d)/,
          (_, before, digit) => `${before}${digit === "9" ? "8" : "9"}`,
        ),
    ],
    ["the number of entries of a table", (text) => text.replace(/"rowCount":\d/, '"rowCount":9')],
  ])("with a change in %s is rebuilt, and hides no entry", async (_, change) => {
    const folder = await copy();
    const path = join(folder, "folder.json");
    const before = await readFile(path, "utf8");
    await writeFile(path, change(before));
    expect(await readFile(path, "utf8")).not.toBe(before);
    const warnings: Warning[] = [];
    expect(await counted(folder, warnings)).toEqual([20, 20]);
    expect(warnings.map(({ message }) => message)).toEqual([
      "marker file is empty or corrupt, rebuilding it from the folder",
    ]);
    expect(await counted(folder)).toEqual([20, 20]);
  });
});

it.each(["folder.json", "generation.json", "format", "log/00000000000000000001.log"])(
  "a folder in the place of %s is named, and nothing is changed",
  async (name) => {
    const folder = await copy();
    const path = join(folder, name);
    await rm(path);
    await mkdir(path);
    await expect(openFolder(folder, { log: { repair: true }, acceptLoss: true })).rejects.toMatchObject({
      code: "runtime_error",
      message: `${path} is a folder, not a file. Move it away`,
    });
    await rm(path, { recursive: true });
    await cp(join(intact, name), path);
    expect(await counted(folder)).toEqual([20, 20]);
  },
);

it("a file or a dead link in the place of the folder is named, and stays", async () => {
  const directory = await fixture.directory();
  const [file, link] = [join(directory, "file"), join(directory, "link")];
  await writeFile(file, "mine");
  await symlink(join(directory, "nowhere"), link);
  for (const path of [file, link]) {
    await expect(openFolder(path)).rejects.toMatchObject({
      code: "runtime_error",
      message: `${path} is not a folder. Move it away, or name another folder`,
    });
  }
  expect(await readFile(file, "utf8")).toBe("mine");
  expect(await readdir(directory)).toEqual(["file", "link"]);
});
