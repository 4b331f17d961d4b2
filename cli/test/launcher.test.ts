import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const LAUNCHER = fileURLToPath(new URL("../bin/membus", import.meta.url));
const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "membus launcher-"));
});

afterAll(() => rm(folder, { recursive: true }));

it("finds the program through links, absolute and relative, from any folder", async () => {
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

it("ends as the program ends", async () => {
  await expect(run(LAUNCHER, ["no-such-command"])).rejects.toMatchObject({ code: 2 });
});
