import { describe, expect, it } from "vitest";
import { deriveText, type Json, keyContext } from "../src/index.js";

describe("derived text", () => {
  it.each<[string, Json, string]>([
    ["of a string is the string", "Alice likes tea", "Alice likes tea"],
    [
      "is the field text, regardless of other fields",
      { text: "Earth orbits the Sun", lang: "en" },
      "Earth orbits the Sun",
    ],
    ["includes a field text that is not a string as a leaf", { text: 5, a: "b" }, "text: 5\na: b"],
    [
      "lists leaves in order, lists under their name",
      { a: 1, b: ["x", { c: true }], d: { e: "f" } },
      "a: 1\nb: x\nc: true\ne: f",
    ],
    ["omits nulls", { a: null, b: [null], c: false }, "c: false"],
    ["of a number", 3.5, "3.5"],
    ["of a list", ["a", 1], "a\n1"],
    ["null", null, ""],
    ["nothing", {}, ""],
  ])("%s", (_name, content, expected) => expect(deriveText(content)).toBe(expected));

  it("ends at 65,536 code units without splitting a surrogate pair", () => {
    expect(deriveText("x".repeat(70_000))).toBe("x".repeat(65_536));
    expect(deriveText({ text: `${"x".repeat(65_535)}🦊` })).toBe("x".repeat(65_535));
    expect(deriveText(`${"x".repeat(65_534)}🦊y`)).toBe(`${"x".repeat(65_534)}🦊`);
    expect(deriveText(Array.from({ length: 20_000 }, () => "word")).length).toBe(65_536);
  });

  it("of a key context uses the top-level strings", () => {
    expect(keyContext({ name: "user_name" })).toBe("user_name");
    expect(keyContext({ a: "x", n: 1, o: { b: "deep" }, c: "y" })).toBe("x\ny");
  });
});
