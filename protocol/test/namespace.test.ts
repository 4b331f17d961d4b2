import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNamespace, isNamespacePattern, parseNamespacePattern, selectsNamespace } from "../src/index.js";

const LONGEST = Array.from({ length: 8 }, () => "n".repeat(64)).join("/");

describe("namespaces", () => {
  it.each([
    "default",
    "a",
    "a/b/c",
    "user:alice",
    "проекты/alice@home",
    " ",
    "..",
    "a.b",
    LONGEST,
    "**x".slice(2),
  ])("%j is valid", (path) => {
    expect(isNamespace(path)).toBe(true);
    expect(isNamespacePattern(path)).toBe(true);
    expect(isNamespacePattern(`${path}/**`)).toBe(true);
  });

  it.each([
    "",
    "/",
    "a/",
    "/a",
    "a//b",
    "*",
    "**",
    "/**",
    "a/*",
    "a/**/b",
    "a/**/**",
    "a*",
    "a\n",
    "a\u007f",
    "a\u0000b",
  ])("%j is invalid", (path) => expect(isNamespace(path)).toBe(false));

  it.each(["", "/**", "**", "a/*", "a/**/b", "a/**/**", "*/**", "a**"])("%j is not a pattern", (path) => {
    expect(isNamespacePattern(path)).toBe(false);
  });

  it("have at most 8 segments of at most 64 characters", () => {
    expect(isNamespace(`${LONGEST}/a`)).toBe(false);
    expect(isNamespace("n".repeat(65))).toBe(false);
    expect(isNamespace("🦊".repeat(32))).toBe(true);
    expect(isNamespace("🦊".repeat(33))).toBe(false);
  });
});

describe("subtrees", () => {
  it.each([
    ["a", "a", true],
    ["a", "a/b", false],
    ["a/**", "a", true],
    ["a/**", "a/b", true],
    ["a/**", "a/b/c", true],
    ["a/**", "ab", false],
    ["a/**", "b/a", false],
    ["a/b/**", "a", false],
  ])("%s selects %s: %s", (pattern, namespace, expected) => {
    expect(selectsNamespace(parseNamespacePattern(pattern), namespace)).toBe(expected);
  });

  it("include exactly the paths with their prefix", () => {
    const path = fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(path, path, (root, other) => {
        const selector = parseNamespacePattern(`${root.join("/")}/**`);
        const expected = root.every((segment, index) => other[index] === segment);
        expect(selectsNamespace(selector, other.join("/"))).toBe(expected);
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});
