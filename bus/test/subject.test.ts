import { describe, expect, it } from "vitest";
import { subjectMatches } from "../src/index.js";

describe("subjectMatches", () => {
  it.each([
    ["a", "a"],
    ["a.b.c", "a.b.c"],
    ["*", "a"],
    ["a.*.c", "a.b.c"],
    ["*.*", "a.b"],
    [">", "a"],
    [">", "a.b.c"],
    ["a.>", "a.b"],
    ["a.>", "a.b.c"],
    ["a.*.>", "a.b.c"],
    ["a.*", "a.*"],
    ["a.b*", "a.b*"],
  ])("%s receives %s", (pattern, subject) => {
    expect(subjectMatches(pattern, subject)).toBe(true);
  });

  it.each([
    ["a", "b"],
    ["a", "A"],
    ["a", "a.b"],
    ["a.b", "a"],
    ["*", "a.b"],
    ["a.*", "a"],
    ["a.*.c", "a.b.d"],
    ["a.>", "a"],
    ["a.>", "b.a"],
    ["a.*.>", "a.b"],
    ["a.b*", "a.bc"],
    ["a.b", "a.*"],
  ])("%s does not receive %s", (pattern, subject) => {
    expect(subjectMatches(pattern, subject)).toBe(false);
  });
});
