import { expect, it } from "vitest";
import { hasNewDetail, normalizedWords } from "../src/long-term/facts/fact.js";
import { withoutRecalled } from "../src/long-term/recall/recalled-text.js";
import { findJson } from "../src/model/generate/json-in-text.js";
import { findToolCalls } from "../src/model/openai/text-tool-calls.js";
import { learnableMessages } from "../src/progressive/history.js";

/** A search that takes quadratic time would need hours for a text of this length. */
const LENGTH = 4_000_000;
const OFFERED = new Set(["add"]);

function repeated(text: string): string {
  return text.repeat(LENGTH / text.length);
}

it.each([
  ["line breaks", repeated("\n"), ""],
  ["numbers of a list", `${repeated("1.\n")}x`, `${repeated("1.\n")}x`],
  ["begin marks", repeated("<recalled-memories>"), ""],
  ["end marks", repeated("</recalled-memories>"), ""],
  ["brackets", repeated("[memory:"), repeated("[memory:")],
])("recalled text is removed from %s in linear time", (_, text, rest) => {
  expect(withoutRecalled(text) === rest).toBe(true);
});

it("marks of a block without an end stay in a message", () => {
  const content = repeated("<memories>");
  expect(learnableMessages([{ role: "user", content }])[0]?.content === content).toBe(true);
});

it.each([
  ["begin marks", `${repeated("<tools>")}${repeated("```\n")}`],
  ["braces", repeated("{")],
  ["names", repeated('{"name"')],
])("tool calls are searched in %s in linear time", (_, text) => {
  expect(findToolCalls(text, OFFERED).calls).toEqual([]);
});

it.each([
  ["quotes", `{${repeated('\\"')}`],
  ["fences", repeated("```\n")],
])("JSON is searched in %s in linear time", (_, text) => {
  expect(findJson(text)).toEqual([]);
});

it("words are compared in linear time", () => {
  expect(hasNewDetail(repeated("a"), "b")).toBe(false);
  expect(hasNewDetail(`${repeated("A-")}b`, "a")).toBe(true);
  expect(normalizedWords(`${repeated(",")}x`) === `${repeated(",")}x`).toBe(true);
});
