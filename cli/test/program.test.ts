import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../dist/program/", import.meta.url));
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Matches the comment with which the bundle names the source of a module. */
const MODULE = /^\/\/ .*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//gm;

it("includes the licence of every bundled library", async () => {
  const licences = await readFile(`${PROGRAM}LICENSES.txt`, "utf8");
  const files = await Promise.all((await readdir(PROGRAM)).map((file) => readFile(PROGRAM + file, "utf8")));
  const modules = files.flatMap((code) => [...code.matchAll(MODULE)]);
  const libraries = new Set(modules.map(([, name]) => name!));
  expect([...libraries]).toEqual(expect.arrayContaining(["zod", "pino", "@nats-io/nats-core"]));
  for (const name of libraries) expect(licences).toMatch(new RegExp(`^${name} \\d`, "m"));
});

it("contains no path of the build machine", async () => {
  for (const file of await readdir(PROGRAM)) {
    expect(await readFile(PROGRAM + file, "utf8"), file).not.toContain(ROOT);
  }
});
