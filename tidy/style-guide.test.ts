import { expect, it } from "vitest";
import { FILES, readText } from "./repository.js";
import { checkStyleGuide } from "./rules/style-guide.js";

const EXAMPLE_FILES = ["tidy/rules/names.ts", "tidy/names.test.ts", "bus/test/a.test.ts"];

it("STYLE.md names every rule that there is, and no other", () => {
  expect(checkStyleGuide(readText("STYLE.md"), FILES)).toEqual([]);
});

it("accepts a guide whose every line says who enforces it", () => {
  const guide =
    "# Style\n\n- Names speak. (tidy: names; reviewer)\n- Buses drain. (test: bus/test/a.test.ts)\n";
  expect(checkStyleGuide(guide, EXAMPLE_FILES)).toEqual([]);
});

it("finds rules that are not named, not there, not tested or not enforced", () => {
  expect(checkStyleGuide("- Calls. (tidy: calls)\n- Be nice.\n", ["tidy/rules/names.ts"])).toEqual([
    "STYLE.md: does not name tidy: names",
    "STYLE.md: there is no tidy: calls",
    "tidy/rules/names.ts:1 has no tidy/names.test.ts",
    'STYLE.md: nobody enforces "- Be nice."',
  ]);
  expect(checkStyleGuide("- Buses. (test: bus/test/gone.test.ts)", [])).toEqual([
    "STYLE.md: there is no test: bus/test/gone.test.ts",
  ]);
});
