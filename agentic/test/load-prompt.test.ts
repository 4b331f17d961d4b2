import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadPrompt } from "../src/index.js";

const FOLDER = new URL("../prompts/", import.meta.url);

it("puts the values into their places, once", () => {
  const prompt = loadPrompt("answer-again", { problem: "at {{problem}}: $& is wrong" });
  expect(prompt).toMatch(
    /^That answer cannot be used:\n\nat \{\{problem\}\}: \$& is wrong\n\nAnswer once more/,
  );
});

it("wants every value that the prompt has a place for, and no other", () => {
  expect(() => loadPrompt("answer-again", {})).toThrow(new TypeError("prompt answer-again wants `problem`"));
  expect(() => loadPrompt("answer-again", { problem: "x", problme: "y" })).toThrow(
    "prompt answer-again has no place for `problme` (did you mean `problem`?)",
  );
});

it.each(readdirSync(FOLDER))("%s begins with its version", (file) => {
  expect(readFileSync(new URL(file, FOLDER), "utf8")).toMatch(/^version [1-9]\d*\n\n\S/);
});

it("says which prompt there is not", () => {
  expect(() => loadPrompt("no-such")).toThrow("no-such.txt");
});
