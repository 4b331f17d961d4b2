import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = ["protocol", "bus", "plugins/kit", "conformance", "cli"];

let workshop = "";

/** A folder as a plugin's author has it: the packed packages, and what these depend on, as installed. */
beforeAll(async () => {
  workshop = await mkdtemp(join(tmpdir(), "membus-author-"));
  const modules = join(workshop, "node_modules");
  await mkdir(join(modules, "@membus"), { recursive: true });
  for (const name of await readdir(join(ROOT, "node_modules"))) {
    if (name !== "@membus" && name !== "membus")
      await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
  for (const folder of PACKAGES) await unpack(folder, modules);
});

afterAll(async () => {
  await rm(workshop, { recursive: true, force: true });
});

async function unpack(folder: string, modules: string): Promise<void> {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", workshop], {
    cwd: join(ROOT, folder),
  });
  const [{ filename, name }] = JSON.parse(stdout) as [{ filename: string; name: string }];
  await mkdir(join(modules, name), { recursive: true });
  await run("tar", ["-xzf", join(workshop, filename), "--strip-components=1", "-C", join(modules, name)]);
}

const membus = (...args: string[]) => node("membus/bin/membus.js", args, workshop);

const node = (script: string, args: string[], cwd: string) =>
  run(process.execPath, [join(workshop, "node_modules", script), ...args], { cwd, maxBuffer: 2 ** 26 });

describe.each([
  ["--direct", "working"],
  ["--kit", "episodic"],
])("membus create-plugin %s", (flag, tier) => {
  const name = `made${flag}`.replaceAll("--", "-");

  it("writes a plugin that compiles, passes its own test, and conforms", async () => {
    const made = await membus("create-plugin", name, flag, "--json");
    expect(JSON.parse(made.stdout)).toMatchObject({ directory: name, tier });
    const folder = join(workshop, name);
    expect(await readdir(join(folder, ".github/workflows"))).toEqual(["test.yml"]);
    await node("typescript/bin/tsc", [], folder);
    const tests = await node("vitest/vitest.mjs", ["run"], folder);
    expect(tests.stdout).toMatch(/Tests .*passed/);
    const args = ["plugin", "./dist/plugin.js", "--tier", tier];
    const report = await node("@membus/conformance/bin/membus-conformance.js", args, folder);
    expect(report.stdout).toMatch(/core 1\.0/);
  });

  it("writes nothing into a folder that holds something", async () => {
    const full = join(workshop, `full${flag}`);
    await mkdir(full);
    await writeFile(join(full, "mine"), "");
    const refused = membus("create-plugin", name, flag, "--into", full);
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining("is not empty") });
    expect(await readdir(full)).toEqual(["mine"]);
  });
});

it("finds a line that is broken, and says what is wrong with it", async () => {
  await membus("create-plugin", "broken", "--direct");
  const folder = join(workshop, "broken");
  const source = join(folder, "src/plugin.ts");
  const sound = await readFile(source, "utf8");
  const broken = sound.replace("total: found.length,", "total: page.length,");
  expect(broken).not.toBe(sound);
  await writeFile(source, broken);
  await node("typescript/bin/tsc", [], folder);
  const report = node(
    "@membus/conformance/bin/membus-conformance.js",
    ["plugin", "./dist/plugin.js"],
    folder,
  );
  await expect(report).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/total of a retrieve with limit 3 of 5 entries\s+expected\s+5\s+got\s+3/),
  });
});

it("refuses a name that no package may have", async () => {
  const refused = membus("create-plugin", "Not a name");
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining("Not a name") });
});
