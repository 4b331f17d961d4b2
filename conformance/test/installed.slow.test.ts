import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderWith } from "./plugin-files.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = ["bus", "conformance", "disk", "plugin-kit", "protocol"];

const PLUGIN = 'new KitPlugin({ name: "plain", version: "1.2.3" })';
const IMPORT = 'import { KitPlugin } from "@membus/plugin-kit";';
const REQUIRE = 'const { KitPlugin } = require("@membus/plugin-kit");';

/** Plugins in plain JavaScript, in a folder without a `type` in its package.json. */
const FILES = {
  "package.json": '{ "private": true }',
  "module.js": `${IMPORT}\nexport const createPlugin = () => ${PLUGIN};`,
  "module.mjs": `${IMPORT}\nexport default () => ${PLUGIN};`,
  "common.cjs": `${REQUIRE}\nmodule.exports = { createPlugin: () => ${PLUGIN} };`,
  "common.js": `${REQUIRE}\nexports.createPlugin = () => ${PLUGIN};`,
  "typed.ts": "export const createPlugin = (): number => 1;",
};

const folder = folderWith(FILES);
afterAll(() => folder.remove());

/** Installs the packages from the files that `npm pack` makes, with the other packages of this repository. */
beforeAll(async () => {
  const workspaces = PACKAGES.map((name) => `--workspace=@membus/${name}`);
  await run("npm", ["pack", "--silent", "--pack-destination", folder.path, ...workspaces], { cwd: ROOT });
  const modules = join(folder.path, "node_modules");
  for (const name of PACKAGES) {
    const place = join(modules, "@membus", name);
    mkdirSync(place, { recursive: true });
    const file = readdirSync(folder.path).find((one) => one.startsWith(`membus-${name}-`))!;
    await run("tar", ["-xzf", join(folder.path, file), "-C", place, "--strip-components=1"]);
    const { dependencies } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    for (const dependency of Object.keys(dependencies)) link(dependency, modules);
  }
});

function link(dependency: string, modules: string): void {
  const place = join(modules, dependency);
  if (dependency.startsWith("@membus/") || readdirSync(modules).includes(dependency)) return;
  mkdirSync(dirname(place), { recursive: true });
  if (!readdirSync(dirname(place)).includes(place.slice(dirname(place).length + 1)))
    symlinkSync(join(ROOT, "node_modules", dependency), place);
}

/** Runs the installed program in the folder, as `npx membus-conformance` does. */
async function conformance(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const program = join(folder.path, "node_modules/@membus/conformance/bin/membus-conformance.js");
  return run(process.execPath, [program, ...args], { cwd: folder.path, env }).then(
    (output) => ({ code: 0, ...output }),
    (failure) => failure,
  );
}

describe("the suite, installed in an empty folder,", () => {
  it.each(["module.js", "module.mjs", "common.cjs", "common.js"])(
    "tests a plugin in %s without a build",
    async (file) => {
      const { code, stdout } = await conformance(
        "plugin",
        `./${file}`,
        "--only",
        "factory,store/created-then-updated",
      );
      expect(stdout).toContain("tier           working: plain 1.2.3\n");
      expect(stdout).toMatch(/\n\d+ selected checks: none is red\./);
      expect(code).toBe(0);
    },
  );

  it("says how to load TypeScript", async () => {
    const { code, stderr } = await conformance("plugin", "./typed.ts");
    expect(stderr).toContain('NODE_OPTIONS="--import tsx"');
    expect(code).toBe(2);
  });

  it("says how to test a plugin if the command is missing", async () => {
    const { code, stderr } = await conformance("./module.js");
    expect(stderr).toContain("unknown command './module.js', a plugin is tested by `plugin MODULE`");
    expect(code).toBe(2);
  });
});
