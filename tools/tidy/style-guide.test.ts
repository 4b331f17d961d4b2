import { expect, it } from "vitest";
import { FILES, readText } from "./repository.js";
import { checkRulesAreTested, checkStyleGuide } from "./rules/style-guide.js";

const EXAMPLE_FILES = ["tools/tidy/rules/names.ts", "tools/tidy/names.test.ts"];

it("STYLE.md names every rule that there is, and no other", () => {
  expect(checkStyleGuide(readText("STYLE.md"), FILES, readText("biome.json"))).toEqual([]);
});

it("every rule is tested", () => {
  expect(checkRulesAreTested(FILES)).toEqual([]);
});

it("accepts a guide whose every line says who enforces it", () => {
  const guide = "# Style\n\n- Names speak. (tidy: names; reviewer)\n- No any. (tsc; biome: noAny, noEnum)\n";
  expect(checkStyleGuide(guide, EXAMPLE_FILES, '{ "noAny": "error", "noEnum": "error" }')).toEqual([]);
});

it("finds rules that are not named, not there, not turned on or not enforced", () => {
  const guide = "- Calls. (tidy: calls)\n- No any. (biome: noAny)\n- Be nice.\n";
  expect(checkStyleGuide(guide, EXAMPLE_FILES, '{ "noAny": "off" }')).toEqual([
    "STYLE.md: does not name tidy: names",
    "STYLE.md: there is no tidy: calls",
    "STYLE.md: biome.json does not turn on noAny",
    'STYLE.md: nobody enforces "- Be nice."',
  ]);
});

it("finds a rule without a test", () => {
  expect(checkRulesAreTested([...EXAMPLE_FILES, "tools/tidy/rules/calls.ts"])).toEqual([
    "tools/tools/tidy/rules/calls.ts:1 has no tools/tidy/calls.test.ts",
  ]);
});
