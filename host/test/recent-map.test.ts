import { describe, expect, it } from "vitest";
import { RecentMap } from "../src/recent-map.js";

function filled(countMax: number, keys: readonly number[]): RecentMap<number, string> {
  const map = new RecentMap<number, string>(countMax);
  for (const key of keys) map.set(key, `v${key}`);
  return map;
}

const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, offset) => from + offset);

describe("RecentMap", () => {
  it("keeps at least the last `countMax` entries, and at most twice as many", () => {
    for (const count of keys(1, 20)) {
      const last = keys(Math.max(0, count - 3), count);
      expect(last.map((key) => filled(3, keys(0, count)).get(key))).toEqual(last.map((key) => `v${key}`));
      const oldest = keys(0, Math.max(0, count - 6));
      expect(oldest.every((key) => filled(3, keys(0, count)).get(key) === undefined)).toBe(true);
    }
  });

  it("keeps entries that are read", () => {
    const map = filled(3, [0]);
    for (const key of keys(1, 30)) {
      expect(map.get(0)).toBe("v0");
      map.set(key, "x");
    }
  });

  it("removes deleted entries", () => {
    const map = filled(3, keys(0, 5));
    map.delete(4);
    map.delete(2);
    expect([map.get(2), map.get(3), map.get(4)]).toEqual([undefined, "v3", undefined]);
  });
});
