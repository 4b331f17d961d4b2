import { expect, it } from "vitest";
import { PACKAGES, type Package, ROOT_MANIFEST, SOURCES } from "./repository.js";
import { isForPeers } from "./roots.js";
import { checkDeclaredImports, checkUsedDependencies } from "./rules/declared-dependencies.js";
import { parseSource } from "./syntax.js";

const ROOT = { name: "root", version: "1.0.0", devDependencies: { vitest: "4.0.0" } };
const BUS: Package = {
  folder: "bus",
  manifest: {
    name: "@x/bus",
    version: "1.0.0",
    dependencies: { "@nats/core": "3.0.0" },
    peerDependencies: { openai: "6" },
  },
};

const check = (path: string, specifier: string) =>
  checkDeclaredImports(parseSource(path, `import "${specifier}";`), [BUS], ROOT);

it("holds in every file", () => {
  const sources = SOURCES.filter(({ fileName }) => !isForPeers(fileName));
  expect(sources.flatMap((source) => checkDeclaredImports(source, PACKAGES, ROOT_MANIFEST))).toEqual([]);
});

it("every dependency is imported by its package", () => {
  expect(PACKAGES.flatMap((home) => checkUsedDependencies(home, SOURCES))).toEqual([]);
});

it.each([
  ["bus/src/a.ts", "@nats/core/internal", []],
  ["bus/src/a.ts", "openai", []],
  ["bus/src/a.ts", "node:fs", []],
  ["bus/src/a.ts", "./b.js", []],
  ["bus/src/a.ts", "vitest", ["bus/src/a.ts:1 vitest is not declared"]],
  ["bus/src/a.ts", "@nats/other", ["bus/src/a.ts:1 @nats/other is not declared"]],
  ["bus/test/a.test.ts", "vitest", []],
  ["host/test/a.test.ts", "@nats/core", []],
  ["bus/test/a.test.ts", "lodash/get", ["bus/test/a.test.ts:1 lodash is not declared"]],
])("judges in %s the import of %s", (path, specifier, expected) => {
  expect(check(path, specifier)).toEqual(expected);
});

it("finds a dependency that no src file imports", () => {
  const inTest = parseSource("bus/test/a.test.ts", 'import "@nats/core";');
  expect(checkUsedDependencies(BUS, [inTest])).toEqual([
    "bus/package.json declares @nats/core, which its src does not import",
  ]);
  const inSource = parseSource("bus/src/a.ts", 'import type { A } from "@nats/core";');
  expect(checkUsedDependencies(BUS, [inTest, inSource])).toEqual([]);
});
