import { expect, it } from "vitest";
import { SOURCES } from "./repository.js";
import { checkLinearPatterns } from "./rules/linear-patterns.js";
import { parseSource } from "./syntax.js";

/** Template placeholders are texts here. */
const NAME = "$" + "{name}";

const check = (code: string) => checkLinearPatterns(parseSource("agentic/src/a.ts", code));

it("no pattern takes quadratic time", () => {
  expect(SOURCES.flatMap(checkLinearPatterns)).toEqual([]);
});

const RESTARTED =
  "a.ts:1 pattern with quadratic time: other matches begin within a repetition: bound it, put a lookbehind before it, or use indexOf";
const SHARED =
  "a.ts:1 pattern with quadratic time: two repetitions match the same text: give them different characters";

it.each([
  ["a line break in a class under m", String.raw`/^[\s>]*\[memory:\w+\].*$/gm`],
  ["a tag without its end", String.raw`/<memories>[\s\S]*?<\/memories>/g`],
  ["a string without its end", String.raw`/"[^"\\]*(?:\\.[^"\\]*)*"/gs`],
  ["characters at the end of a text", String.raw`/\/+$/`],
  ["a repetition before a required character", String.raw`/\d+[a-z]/`],
  ["a repetition in an optional group", String.raw`/(?:a+b)?c+d/`],
  ["a dynamic pattern", `new RegExp(\`<${NAME}>[^]*</${NAME}>\`)`],
  ["a pattern from constants", `const name = "\\\\s*"; const P = new RegExp(\`${NAME}x\`);`],
])("finds %s", (_, code) => {
  expect(check(code)).toEqual([`agentic/src/${RESTARTED}`]);
});

it.each([
  ["two repetitions of the same text", String.raw`/^\s*,?\s*$/`],
  ["a repetition in a repetition", "/^(a+)+$/"],
])("finds %s", (_, code) => {
  expect(check(code)).toEqual([`agentic/src/${SHARED}`]);
});

it.each([
  ["a bounded repetition", String.raw`/\d{1,20}[a-z]/`],
  ["the beginning of the text", String.raw`/^\s*x/`],
  ["a lookbehind", String.raw`/(?<!\/)\/+$/`],
  ["a match at one position", String.raw`/\d+[a-z]/y`],
  ["a repetition that ends the pattern", String.raw`/[^\n]+\n?|\n/g`],
  ["different characters", String.raw`/"[^"]*"/`],
  ["a pattern that other code computes", `new RegExp(\`\\\\p{Script=${NAME}}\`, "u")`],
])("allows %s", (_, code) => {
  expect(check(code)).toEqual([]);
});

it("allows patterns in tests and of the suite's own messages", () => {
  for (const path of ["host/test/a.ts", "conformance/mutants/src/a.ts"]) {
    expect(checkLinearPatterns(parseSource(path, "/ +$/"))).toEqual([]);
  }
});
