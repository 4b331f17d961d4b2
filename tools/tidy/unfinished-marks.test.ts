import { expect, it } from "vitest";
import { FILES, readText } from "./repository.js";
import { checkUnfinishedMarks } from "./rules/unfinished-marks.js";

it("holds in code, documents and scripts", () => {
  const written = FILES.filter((path) => /\.(ts|md|yaml|yml)$|^\.ci\//.test(path));
  expect(written.flatMap((path) => checkUnfinishedMarks(path, readText(path)))).toEqual([]);
});

it.each([
  ["TO", "DO"],
  ["FIX", "ME"],
  ["XX", "X"],
])("finds %s%s as a word of its own", (...halves) => {
  const mark = halves.join("");
  expect(checkUnfinishedMarks("a.ts", `f();\n// ${mark}: later`)).toEqual([
    `a.ts:2 ${mark}: finish it, or write down elsewhere what is open`,
  ]);
  expect(checkUnfinishedMarks("a.ts", `${mark}${mark}`)).toEqual([]);
});
