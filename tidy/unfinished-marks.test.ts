import { expect, it } from "vitest";
import { FILES, readText } from "./repository.js";
import { checkUnfinishedMarks } from "./rules/unfinished-marks.js";

it("holds in code, documents and scripts", () => {
  const written = FILES.filter((path) => /\.(ts|md|yaml|yml)$|^\.ci\//.test(path));
  expect(written.flatMap((path) => checkUnfinishedMarks(path, readText(path)))).toEqual([]);
});

it.each(["TO-DO", "FIX-ME"])("finds %s, also without the hyphen", (mark) => {
  const bare = mark.replace("-", "");
  expect(checkUnfinishedMarks("a.ts", `f();\n// ${bare}: later`)).toEqual([
    `a.ts:2 ${bare}: finish it, or write down elsewhere what is open`,
  ]);
  expect(checkUnfinishedMarks("a.ts", `${mark} later`)).toHaveLength(1);
  expect(checkUnfinishedMarks("a.ts", `${bare}S and mkdtemp patterns: ${"X".repeat(6)}`)).toEqual([]);
});

it("finds three crosses", () => {
  expect(checkUnfinishedMarks("a.md", "X".repeat(3))).toHaveLength(1);
});
