import { expect, it } from "vitest";
import { SOURCES } from "./repository.js";
import { checkFileLength } from "./rules/file-length.js";
import { parseSource } from "./syntax.js";

it("holds in every file", () => {
  expect(SOURCES.flatMap(checkFileLength)).toEqual([]);
});

it("finds a file of 401 lines, not one of 400", () => {
  expect(checkFileLength(parseSource("a.ts", "f();\n".repeat(400)))).toEqual([]);
  expect(checkFileLength(parseSource("a.ts", "f();\n".repeat(401)))).toEqual([
    "a.ts:1 has 401 lines of 400: split it",
  ]);
});
