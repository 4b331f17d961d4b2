import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { hasSubstring } from "../src/filter/substring.js";

/** Strings of few letters, so that partial matches are frequent. */
const letters = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom("a", "a", "a", "b"), { minLength, maxLength }).map((units) => units.join(""));

it("finds the same as `includes`", () => {
  const property = fc.property(letters(0, 200), letters(0, 40), (text, part) => {
    expect(hasSubstring(text, part)).toBe(text.includes(part));
  });
  fc.assert(property, { numRuns: 2_000 });
});

it("finds every part of a text, but not with one changed unit that occurs nowhere else", () => {
  const spot = fc.tuple(fc.nat(299), fc.integer({ min: 1, max: 300 }));
  const property = fc.property(letters(300, 300), spot, fc.nat(299), (text, [from, length], at) => {
    const part = text.slice(from, from + length);
    expect(hasSubstring(text, part)).toBe(true);
    const place = at % part.length;
    expect(hasSubstring(text, `${part.slice(0, place)}\ud83d${part.slice(place + 1)}`)).toBe(false);
  });
  fc.assert(property, { numRuns: 1_000 });
});

it("reads each unit only a few times, even with partial matches everywhere", () => {
  const looks = vi.spyOn(String.prototype, "charCodeAt");
  const includes = vi.spyOn(String.prototype, "includes");
  const part = `${"a".repeat(1_000)}b${"a".repeat(1_000)}`;
  const found = hasSubstring("a".repeat(4_000), part);
  const counts = [looks.mock.calls.length, includes.mock.calls.length];
  vi.restoreAllMocks();
  expect([found, counts[1]]).toEqual([false, 0]);
  expect(counts[0]).toBeLessThan(4 * (4_000 + part.length));
});
