import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryEntry, Order } from "../src/index.js";
import {
  comparePositions,
  decodeCursor,
  encodeCursor,
  type Position,
  positionOf,
} from "../src/plugin/index.js";

const ORDERS: readonly Order[] = ["relevance", "newest", "oldest"];

const position: fc.Arbitrary<Position> = fc.record({
  rank: fc.constantFrom(0, 0.25, 0.5, 1),
  seq: fc.constantFrom(1, 2),
  tier: fc.constantFrom("working", "episodic", "semantic"),
  namespace: fc.constantFrom("a", "a/b", "b"),
  key_hash: fc.constantFrom("00", "01"),
});

const at = (fields: Partial<Position>): Position => ({
  ...{ rank: 0.5, seq: 1, tier: "episodic", namespace: "b", key_hash: "01" },
  ...fields,
});

const sign = (value: number) => Math.sign(value) + 0;

describe("the total order", () => {
  it.each(ORDERS)("of %s is total, antisymmetric and transitive", (order) => {
    fc.assert(
      fc.property(position, position, position, (a, b, c) => {
        const ab = sign(comparePositions(a, b, order));
        expect(ab).toBe(sign(-comparePositions(b, a, order)));
        if (ab === 0) {
          const sameSeq = order === "relevance" ? { ...a, seq: 0 } : a;
          expect(sameSeq).toEqual(order === "relevance" ? { ...b, seq: 0 } : b);
        }
        if (ab <= 0 && comparePositions(b, c, order) <= 0) {
          expect(comparePositions(a, c, order)).toBeLessThanOrEqual(0);
        }
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it.each<[Order, string, Partial<Position>]>([
    ["relevance", "the higher score", { rank: 0.75 }],
    ["relevance", "the earlier tier", { tier: "working" }],
    ["relevance", "the earlier namespace", { namespace: "a" }],
    ["relevance", "the lower hash", { key_hash: "00" }],
    ["newest", "the later time", { rank: 0.75, seq: 0 }],
    ["newest", "the later seq", { seq: 2, tier: "semantic" }],
    ["newest", "the earlier tier", { tier: "working", namespace: "c" }],
    ["oldest", "the earlier time", { rank: 0.25, seq: 9 }],
    ["oldest", "the earlier seq", { seq: 0, tier: "semantic" }],
    ["oldest", "the lower hash", { key_hash: "00" }],
  ])("%s puts %s first", (order, _what, fields) => {
    expect(comparePositions(at(fields), at({}), order)).toBeLessThan(0);
    expect(comparePositions(at({}), at(fields), order)).toBeGreaterThan(0);
  });

  it("of relevance ignores seq", () => {
    expect(comparePositions(at({ seq: 1 }), at({ seq: 2 }), "relevance")).toBe(0);
    expect(comparePositions(at({ seq: 1, tier: "working" }), at({ seq: 2 }), "relevance")).toBeLessThan(0);
  });

  it("ranks by score or by time", () => {
    const entry = { score: 0.5, occurred_at: 99, seq: 3, tier: "working", namespace: "n", key_hash: "h" };
    const rest = { seq: 3, tier: "working", namespace: "n", key_hash: "h" };
    expect(positionOf(entry as MemoryEntry, "relevance")).toEqual({ rank: 0.5, ...rest });
    expect(positionOf(entry as MemoryEntry, "oldest")).toEqual({ rank: 99, ...rest });
  });
});

describe("cursors", () => {
  const cursor = { after: at({ namespace: "проекты/🦊" }), as_of: 1753776000.25, digest: "d" };

  it("are restored after encoding", () => {
    const text = encodeCursor(cursor);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeCursor(text, "d")).toEqual(cursor);
  });

  it("of another request are rejected", () => {
    expect(() => decodeCursor(encodeCursor(cursor), "e")).toThrowError(
      expect.objectContaining({ code: "schema_violation", detail: { path: "cursor" } }),
    );
  });

  it.each([
    "",
    "x",
    "e30",
    encodeCursor(cursor).slice(0, -4),
    Buffer.from(JSON.stringify({ ...cursor, more: 1 })).toString("base64url"),
    Buffer.from(JSON.stringify({ ...cursor, after: { ...cursor.after, rank: null } })).toString("base64url"),
    Buffer.from('{"__proto__":1}').toString("base64url"),
  ])("rejects %j", (text) => {
    expect(() => decodeCursor(text, "d")).toThrowError(
      expect.objectContaining({ code: "schema_violation", detail: { path: "cursor" } }),
    );
  });
});
