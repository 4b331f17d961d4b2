import fc from "fast-check";
import { expect, it } from "vitest";
import { hasSubstring } from "../src/substring.js";

/** Of few letters, so that parts are nearly found again and again. */
const letters = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom("a", "a", "a", "b"), { minLength, maxLength }).map((units) => units.join(""));

it("finds what `includes` finds", () => {
  const property = fc.property(letters(0, 200), letters(0, 40), (text, part) => {
    expect(hasSubstring(text, part)).toBe(text.includes(part));
  });
  fc.assert(property, { numRuns: 2_000 });
});

it("finds every part of a text, and none with a unit changed that occurs nowhere else", () => {
  const spot = fc.tuple(fc.nat(299), fc.integer({ min: 1, max: 300 }));
  const property = fc.property(letters(300, 300), spot, fc.nat(299), (text, [from, length], at) => {
    const part = text.slice(from, from + length);
    expect(hasSubstring(text, part)).toBe(true);
    const place = at % part.length;
    expect(hasSubstring(text, `${part.slice(0, place)}\ud83d${part.slice(place + 1)}`)).toBe(false);
  });
  fc.assert(property, { numRuns: 1_000 });
});
