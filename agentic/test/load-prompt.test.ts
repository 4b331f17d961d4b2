import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadPrompt } from "../src/model/index.js";

const FOLDER = new URL("../prompts/", import.meta.url);

it("inserts each value once, without expanding it again", () => {
  const prompt = loadPrompt("answer-again", { problem: "at {{problem}}: $& is wrong" });
  expect(prompt).toMatch(/^Your answer is invalid:\n\nat \{\{problem\}\}: \$& is wrong\n\nAnswer again/);
});

it("requires every value of the prompt, and rejects others", () => {
  expect(() => loadPrompt("answer-again", {})).toThrow(
    new TypeError("prompt answer-again requires the value `problem`"),
  );
  expect(() => loadPrompt("answer-again", { problem: "x", problme: "y" })).toThrow(
    "prompt answer-again has no placeholder `problme` (did you mean `problem`?)",
  );
});

it.each(readdirSync(FOLDER))("%s starts with its version", (file) => {
  expect(readFileSync(new URL(file, FOLDER), "utf8")).toMatch(/^version [1-9]\d*\n\n\S/);
});

it("names a missing prompt", () => {
  expect(() => loadPrompt("no-such")).toThrow("no-such.txt");
});
