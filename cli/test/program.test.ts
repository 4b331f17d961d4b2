import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../dist/program/", import.meta.url));
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

it("passes on the licence of every library that it contains", async () => {
  const licences = await readFile(`${PROGRAM}LICENSES.txt`, "utf8");
  const { dependencies } = JSON.parse(await readFile(`${ROOT}cli/package.json`, "utf8")) as {
    dependencies: Record<string, string>;
  };
  const libraries = Object.entries(dependencies).filter(([name]) => !name.startsWith("@membus/"));
  expect(libraries.length).toBeGreaterThan(3);
  for (const [name, version] of libraries) expect(licences).toContain(`${name} ${version}\n`);
});

it("names no path of the machine that built it", async () => {
  for (const file of await readdir(PROGRAM)) {
    expect(await readFile(PROGRAM + file, "utf8"), file).not.toContain(ROOT);
  }
});
