import { describe, expect, it } from "vitest";
import { deriveText, type Json, keyContext } from "../src/index.js";

describe("derived text", () => {
  it.each<[string, Json, string]>([
    ["a text is itself", "Alice likes tea", "Alice likes tea"],
    [
      "the field text, whatever else there is",
      { text: "Earth orbits the Sun", lang: "en" },
      "Earth orbits the Sun",
    ],
    ["a field text that is no text is a leaf", { text: 5, a: "b" }, "text: 5\na: b"],
    [
      "leaves in order, lists under their name",
      { a: 1, b: ["x", { c: true }], d: { e: "f" } },
      "a: 1\nb: x\nc: true\ne: f",
    ],
    ["nulls are left out", { a: null, b: [null], c: false }, "c: false"],
    ["a bare number", 3.5, "3.5"],
    ["a bare list", ["a", 1], "a\n1"],
    ["null", null, ""],
    ["nothing", {}, ""],
  ])("%s", (_name, content, expected) => expect(deriveText(content)).toBe(expected));

  it("ends at 8,192 code units and splits no pair", () => {
    expect(deriveText("x".repeat(9_000))).toBe("x".repeat(8_192));
    expect(deriveText({ text: `${"x".repeat(8_191)}🦊` })).toBe("x".repeat(8_191));
    expect(deriveText(`${"x".repeat(8_190)}🦊y`)).toBe(`${"x".repeat(8_190)}🦊`);
    expect(deriveText(Array.from({ length: 10_000 }, () => "word")).length).toBe(8_192);
  });

  it("takes the top-level texts of a key as context", () => {
    expect(keyContext({ name: "user_name" })).toBe("user_name");
    expect(keyContext({ a: "x", n: 1, o: { b: "deep" }, c: "y" })).toBe("x\ny");
  });
});
