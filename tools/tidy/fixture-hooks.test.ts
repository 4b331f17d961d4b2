import { expect, it } from "vitest";
import { SOURCES } from "./repository.js";
import { checkFixtureHooks } from "./rules/fixture-hooks.js";
import { parseSource } from "./syntax.js";

it("no fixture has a hook for all tests of the first file that imports it", () => {
  expect(SOURCES.flatMap(checkFixtureHooks)).toEqual([]);
});

it("finds hooks of modules, but allows hooks of test files and functions", () => {
  const hook = "afterEach(() => close());";
  expect(checkFixtureHooks(parseSource("fixture.ts", hook))).toHaveLength(1);
  expect(checkFixtureHooks(parseSource("a.test.ts", hook))).toEqual([]);
  expect(checkFixtureHooks(parseSource("fixture.ts", `function start() { ${hook} }`))).toEqual([]);
});
