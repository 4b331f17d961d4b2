import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const LAUNCHER = join(PACKAGE, "bin/membus.js");
const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "membus launcher-")));
});

afterAll(() => rm(folder, { recursive: true }));

it("finds the program through absolute and relative links, from any folder", async () => {
  await mkdir(join(folder, "bin"));
  await symlink(LAUNCHER, join(folder, "bin/first"));
  await symlink("bin/first", join(folder, "second"));
  const versions = await Promise.all(
    [LAUNCHER, join(folder, "bin/first"), join(folder, "second"), "./second"].map(async (path) => {
      const { stdout } = await run(path, ["--version"], { cwd: folder });
      return stdout;
    }),
  );
  expect(new Set(versions).size).toBe(1);
  expect(versions[0]).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it("needs no shell: Node runs it directly", async () => {
  const { stdout } = await run(process.execPath, [LAUNCHER, "--version"], { env: {} });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it("has a first line within the limit of every system", async () => {
  const [line] = (await readFile(LAUNCHER, "utf8")).split("\n");
  // Linux reads at most this many characters.
  expect(line!.length).toBeLessThan(256);
});

it("exits with the code of the program", async () => {
  await expect(run(LAUNCHER, ["no-such-command"])).rejects.toMatchObject({ code: 2 });
});

it("suggests a build in an unbuilt clone", async () => {
  const clone = join(folder, "clone");
  for (const path of ["bin/membus.js", "package.json"]) {
    await cp(join(PACKAGE, path), join(clone, "cli", path), { recursive: true });
  }
  await expect(run(join(clone, "cli/bin/membus.js"), ["up"])).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: `membus: not built yet: run \`npm run build\` in ${clone}/\n`,
  });
});
