import { expect, it } from "vitest";
import { SOURCES } from "./repository.js";
import { checkFunctionLength } from "./rules/function-length.js";
import { parseSource } from "./syntax.js";

const check = (code: string) => checkFunctionLength(parseSource("a.ts", code));
const body = (lines: number) => `{\n${"f();\n".repeat(lines - 2)}}`;

it("no function is too long", () => {
  expect(SOURCES.flatMap(checkFunctionLength)).toEqual([]);
});

it.each([
  ["a function", (lines: number) => `function f() ${body(lines)}`],
  ["an arrow", (lines: number) => `const f = () => ${body(lines)};`],
  ["an arrow without braces", (lines: number) => `const f = () => [\n${"1,\n".repeat(lines - 2)}];`],
  ["a test", (lines: number) => `it("works", () => ${body(lines)});`],
])("finds %s of 71 lines and allows 70 lines", (_, code) => {
  expect(check(code(70))).toEqual([]);
  expect(check(code(71))).toEqual(["a.ts:1 function has 71 lines, limit 70: split it"]);
});

it("finds methods, constructors and accessors", () => {
  const code = `class A {\nconstructor() ${body(71)}\nm() ${body(71)}\nget g() ${body(71)}\n}`;
  expect(check(code)).toHaveLength(3);
});

it("allows a long describe, but no long test in it", () => {
  const test = (lines: number) => `it("works", () => ${body(lines)});\n`;
  expect(check(`describe("a", () => {\n${test(40)}${test(40)}});`)).toEqual([]);
  expect(check(`describe.each([1])("a", () => {\n${test(71)}});`)).toEqual([
    "a.ts:2 function has 71 lines, limit 70: split it",
  ]);
});

it("does not count the comment before a function", () => {
  expect(check(`/**\n${" * Why.\n".repeat(70)} */\nfunction f() ${body(3)}`)).toEqual([]);
});
