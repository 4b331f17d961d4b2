import { expect, it } from "vitest";
import { sourceEntries } from "./imports.js";
import { FILES, PACKAGES, ROOT_MANIFEST, SOURCES } from "./repository.js";
import { foreignRoots, productRoots, testRoots } from "./roots.js";
import { findUnusedExports } from "./rules/unused-exports.js";
import { parseSource } from "./syntax.js";

const EXAMPLE: Record<string, string> = {
  "a/src/index.ts": 'export { one, type T } from "./a.js"; export * from "./star.js"; export const root = 1;',
  "a/src/a.ts": "export const one = 1; export function two() {} export class Three {} export type T = 1;",
  "a/src/star.ts": "export const starred = 1;",
  "a/src/barrel.ts": 'export { two, Three as Four } from "./a.js"; export default one;',
  "a/test/a.test.ts":
    'import { two as renamed } from "../src/barrel.js"; await import("../src/lazy.js"); spawn("program.ts");',
  "a/test/program.ts": "export default 1;",
  "a/src/lazy.ts": "export const lazy = 1;",
};

it("holds in the repository", () => {
  const roots = [...productRoots(ROOT_MANIFEST, PACKAGES), ...foreignRoots(FILES), ...testRoots(FILES)];
  expect(findUnusedExports(SOURCES, roots, sourceEntries(PACKAGES))).toEqual([]);
});

it("finds values that no other file imports, re-exported ones too", () => {
  const sources = Object.entries(EXAMPLE).map(([path, code]) => parseSource(path, code));
  expect(findUnusedExports(sources, ["a/src/index.ts"], new Map())).toEqual([
    "a/src/barrel.ts:1 Four is exported, and no other file imports it",
  ]);
  const code =
    "export const one = 1; export function two() {} export class Three {} export default function f() {}";
  expect(findUnusedExports([parseSource("a.ts", code)], [], new Map())).toHaveLength(4);
});
