import { expect, it } from "vitest";
import { FILES, readText } from "./repository.js";
import { checkUnfinishedMarks } from "./rules/unfinished-marks.js";

it("code, documents and scripts contain no unfinished marks", () => {
  const written = FILES.filter((path) => /\.(ts|md|yaml|yml)$|^\.ci\//.test(path));
  expect(written.flatMap((path) => checkUnfinishedMarks(path, readText(path)))).toEqual([]);
});

it.each([
  ["TO", "DO"],
  ["FIX", "ME"],
  ["XX", "X"],
])("finds %s%s as a separate word", (...halves) => {
  const mark = halves.join("");
  expect(checkUnfinishedMarks("a.ts", `f();\n// ${mark}: later`)).toEqual([
    `a.ts:2 ${mark}: finish the work, or document it elsewhere`,
  ]);
  expect(checkUnfinishedMarks("a.ts", `${mark}${mark}`)).toEqual([]);
});
