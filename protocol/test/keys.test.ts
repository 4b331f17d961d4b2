import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canonicalJson,
  type Json,
  keyHash,
  keyReferenceHash,
  type MemoryKey,
  normaliseKey,
} from "../src/index.js";
import { key } from "./arbitraries.js";
import { KEYS } from "./vector-files.js";

/** Returns the value with the fields of every object in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  );
}

describe("keys", () => {
  it("have the expected number", () => expect(KEYS.length).toBeGreaterThanOrEqual(30));

  it.each(KEYS.map((vector) => [vector.name, vector] as const))("%s", (_name, vector) => {
    expect(canonicalJson(normaliseKey(vector.key))).toBe(vector.canonical);
    expect(keyHash(vector.key)).toBe(vector.sha256);
  });

  it("have the same hash in any field order", () => {
    fc.assert(
      fc.property(key, (value) => {
        expect(keyHash(reversed(value) as MemoryKey)).toBe(keyHash(value));
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it("are their own JSON form", () => {
    fc.assert(
      fc.property(key, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it("can be referenced by object, string or hash", () => {
    const hash = "24c1fab73ad66f9f3f8e87d6743cbaa54b79cc14df5eb6c723ef73fa2f2e72b1";
    expect(keyReferenceHash({ id: "fact1" })).toBe(hash);
    expect(keyReferenceHash({ $hash: hash })).toBe(hash);
    expect(keyReferenceHash("a")).toBe(keyHash({ name: "a" }));
  });
});
