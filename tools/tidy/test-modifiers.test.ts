import { expect, it } from "vitest";
import { SOURCES } from "./repository.js";
import { checkTestModifiers } from "./rules/test-modifiers.js";
import { parseSource } from "./syntax.js";

const check = (code: string) => checkTestModifiers(parseSource("a.test.ts", code));

it("no test file contains a forbidden modifier", () => {
  expect(SOURCES.flatMap(checkTestModifiers)).toEqual([]);
});

it.each([
  ['it.only("a", run)', ".only is not allowed in committed tests"],
  ['describe.only("a", run)', ".only is not allowed in committed tests"],
  ['it.concurrent.only("a", run)', ".only is not allowed in committed tests"],
  ['it.skip("a (no server)", run)', ".skip is not allowed in committed tests"],
  ['describe.skip.each([1])("a", run)', ".skip is not allowed in committed tests"],
  ['it.todo("a")', ".todo is not allowed in committed tests"],
  ['it.skipIf(bare)("a", run)', ".skipIf needs the reason in its title, in parentheses"],
  ['it.runIf(full).each([1])("a", run)', ".runIf needs the reason in its title, in parentheses"],
  ['it("a", (context) => context.skip())', "skip() needs a reason"],
  ['it("a", ({ skip }) => skip(bare))', "skip() needs a reason"],
])("finds %s", (code, problem) => {
  expect(check(code)).toEqual([`a.test.ts:1 ${problem}`]);
});

it.each([
  'it.skipIf(bare)("a (needs a server)", run)',
  'it.skipIf(bare).each([1])("a (needs a server)", run)',
  'it("a", ({ skip }) => skip(bare, "needs a server"))',
  "list.only()",
])("allows %s", (code) => {
  expect(check(code)).toEqual([]);
});
