import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const MANIFEST = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
  readonly exports: object;
  readonly dependencies: object;
};

/** Peers of a subpath, and one of its exports. */
const SUBPATHS: Readonly<Record<string, { readonly peers: readonly string[]; readonly exported: string }>> = {
  "./langchain": { peers: ["@langchain/core"], exported: "MembusChatMessageHistory" },
  "./langgraph": { peers: ["@langchain/langgraph-checkpoint"], exported: "MembusSaver" },
  "./langgraph-items": { peers: [], exported: "itemInput" },
  "./ai-sdk": { peers: [], exported: "membusMiddleware" },
  "./anthropic": { peers: [], exported: "memoryToolHandlers" },
  "./openai-agents": { peers: [], exported: "MembusSession" },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-test-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function install(name: string): void {
  const target = join(folder, "node_modules", name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(MODULES, name), target);
}

it.each(Object.entries(SUBPATHS))(
  "%s can be imported with only its own peers",
  async (subpath, { peers, exported }) => {
    for (const name of [...Object.keys(MANIFEST.dependencies), ...peers]) install(name);
    const copy = join(folder, "node_modules/@membus/integrations");
    mkdirSync(copy);
    for (const name of ["package.json", "dist"])
      cpSync(join(PACKAGE, name), join(copy, name), { recursive: true });
    const module = `@membus/integrations${subpath.slice(1)}`;
    const code = `const { ${exported} } = await import("${module}"); console.log(typeof ${exported});`;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { cwd: folder });
    expect(await run).toEqual({ stdout: "function\n", stderr: "" });
  },
);

it("the package exports exactly these subpaths and no root", () => {
  expect(Object.keys(MANIFEST.exports).sort()).toEqual(Object.keys(SUBPATHS).sort());
});
