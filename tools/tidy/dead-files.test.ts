import { expect, it } from "vitest";
import { sourceEntries } from "./imports.js";
import { FILES, PACKAGES, ROOT_MANIFEST, SOURCES } from "./repository.js";
import { foreignRoots, productRoots, testRoots } from "./roots.js";
import { findDeadFiles } from "./rules/dead-files.js";
import { parseSource } from "./syntax.js";

const ENTRIES = new Map([["@x/bus", "bus/src/index.ts"]]);

const EXAMPLE: Record<string, string> = {
  "bus/src/index.ts": 'export * from "./nats.js"; new Worker(new URL("./worker.js", import.meta.url));',
  "bus/src/nats.ts": "export const a = 1;",
  "bus/src/worker.ts": "",
  "bus/src/only-tested.ts": "",
  "bus/src/dead.ts": 'import "./nats.js";',
  "bus/test/a.test.ts": 'import "../src/only-tested.js"; import "./fixture.js"; spawn("program.ts");',
  "bus/test/fixture.ts": "",
  "bus/test/program.ts": "",
  "bus/test/left-over.ts": "",
  "cli/src/main.ts": 'import "@x/bus";',
};

it("holds in the repository", () => {
  const product = [...productRoots(ROOT_MANIFEST, PACKAGES), ...foreignRoots(FILES)];
  const roots = { product, tests: testRoots(FILES) };
  expect(findDeadFiles(SOURCES, roots, sourceEntries(PACKAGES))).toEqual([]);
});

it("finds src files that only tests reach, and others that nothing reaches", () => {
  const sources = Object.entries(EXAMPLE).map(([path, code]) => parseSource(path, code));
  const roots = { product: ["cli/src/main.ts"], tests: ["bus/test/a.test.ts"] };
  expect(findDeadFiles(sources, roots, ENTRIES)).toEqual([
    "bus/src/only-tested.ts:1 no entry point imports it",
    "bus/src/dead.ts:1 no entry point imports it",
    "bus/test/left-over.ts:1 nothing imports it",
  ]);
});

it("begins at exports, programs, scripts, tests and configurations", () => {
  const manifest = { name: "x", version: "1.0.0", exports: { ".": { "membus-source": "./src/index.ts" } } };
  const packages = [{ folder: "cli", manifest: { ...manifest, bin: { x: "./dist/main.js" } } }];
  const root = {
    name: "root",
    version: "1.0.0",
    scripts: { demo: "tsc -b && node a/dist/b.js", test: "tsx c/d.ts" },
  };
  expect(productRoots(root, packages)).toEqual([
    "cli/src/index.ts",
    "cli/src/main.ts",
    "a/src/b.ts",
    "c/d.ts",
  ]);
  expect(testRoots(["a/test/a.test.ts", "vitest.config.ts", "a/src/config.ts", "a/test/b.ts"])).toEqual([
    "a/test/a.test.ts",
    "vitest.config.ts",
  ]);
});
