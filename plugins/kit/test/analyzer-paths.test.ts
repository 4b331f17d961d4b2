import { describe, expect, it } from "vitest";
import { pathMarks, queryPaths } from "../src/search/analyzer/paths.js";

describe("paths", () => {
  it.each([
    ["see plugins/kit/src/Row.ts:12.", ["/plugins/kit", "/kit/src", "/src/row"]],
    ["C:\\Users\\me and ./docs/index.md", ["/users/me", "/docs/index"]],
    ["https://example.org/a", ["/example.org/a"]],
    ["a/b and a/b", ["/a/b"]],
    ["no path here", []],
    ["/", []],
  ])("in %j have the steps %j", (text, marks) => {
    expect(pathMarks(text)).toEqual(marks);
  });

  it("are terms of a query with their own words", () => {
    expect(queryPaths("what is in src/app.ts?").map(({ mark, word }) => [mark, word])).toEqual([
      ["/src/app", "src/app"],
    ]);
  });

  it("have at most 64 steps per text, found in linear time", () => {
    const many = Array.from({ length: 100 }, (_, number) => `a/${number}`).join(" ");
    expect(pathMarks(many)).toHaveLength(64);
    expect(pathMarks(`${"a".repeat(60_000)}/${"b".repeat(5_000)}`)).toHaveLength(1);
  });
});
