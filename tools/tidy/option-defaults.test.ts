import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type ts from "typescript";
import { expect, it } from "vitest";
import { SOURCES } from "./repository.js";
import { ROOT } from "./root.js";
import {
  checkOptionDefaults,
  type DefaultsConstant,
  defaultsConstantNames,
  documentedDefaults,
} from "./rules/option-defaults.js";
import { parseSource } from "./syntax.js";

const DOCUMENT = `
interface HostOptions {
  /**
   * Longest wait.
   * @default 5000
   */
  readonly waitMs?: number;
  /** @default ["a"] */
  readonly names?: string[];
  /** @default the system's folder */
  readonly folder?: string;
}`;

const check = (value: Record<string, unknown>, code = DOCUMENT) =>
  checkOptionDefaults(documentedDefaults(parseSource("a.ts", code)), [
    { path: "a.ts", name: "HOST_DEFAULTS", value },
  ]);

async function constantsOf(source: ts.SourceFile): Promise<DefaultsConstant[]> {
  const names = defaultsConstantNames(source);
  if (names.length === 0) return [];
  const path = source.fileName;
  const module: Record<string, DefaultsConstant["value"]> = await import(
    pathToFileURL(join(ROOT, path)).href
  );
  return names.map((name) => ({ path, name, value: module[name] ?? {} }));
}

it("all src files document their defaults correctly", async () => {
  const sources = SOURCES.filter(({ fileName }) => fileName.includes("/src/"));
  const constants = (await Promise.all(sources.map(constantsOf))).flat();
  expect(constants.map(({ name }) => name)).toContain("HOST_DEFAULTS");
  expect(checkOptionDefaults(sources.flatMap(documentedDefaults), constants)).toEqual([]);
});

it("accepts correctly documented defaults", () => {
  expect(check(Object.freeze({ waitMs: 5_000, names: ["a"], folder: undefined }))).toEqual([]);
});

it("finds wrong, undocumented, missing and mutable defaults", () => {
  expect(check(Object.freeze({ waitMs: 6_000, names: ["a"] }))).toEqual([
    "a.ts:7 @default 5000, but HOST_DEFAULTS.waitMs is 6000",
  ]);
  expect(check(Object.freeze({ waitMs: 5_000, names: ["a"], retryCountMax: 3 }))).toEqual([
    "a.ts:1 HOST_DEFAULTS.retryCountMax has no @default comment",
  ]);
  expect(check(Object.freeze({ waitMs: 5_000 }))).toEqual([
    'a.ts:9 @default ["a"], but HOST_DEFAULTS.names is undefined',
  ]);
  expect(check(Object.freeze({ waitMs: 5_000, names: ["a"], folder: "/tmp" }))).toEqual([
    'a.ts:11 @default the system\'s folder, but HOST_DEFAULTS.folder is "/tmp"',
  ]);
  expect(check({ waitMs: 5_000, names: ["a"] })).toEqual(["a.ts:1 HOST_DEFAULTS is not frozen"]);
});

it("compares options that share a default with a constant of the same file", () => {
  const code = "interface ExistingOptions {\n  /** @default 1 */\n  readonly waitMs?: number;\n}";
  const value = Object.freeze({ waitMs: 2 });
  expect(check(value, code)).toContain("a.ts:3 @default 1, but HOST_DEFAULTS.waitMs is 2");
});

it("reads the constants that a file declares", () => {
  const code = "export const OPENAI_DEFAULTS: Options = Object.freeze({}); const OTHER = 1;";
  expect(defaultsConstantNames(parseSource("a.ts", code))).toEqual(["OPENAI_DEFAULTS"]);
});
