import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LruRetention } from "../src/lru-retention.js";

const KIB = 1024;
const OPTIONS = {
  scopeEntriesMax: 1_000,
  scopeBytesMax: 100 * KIB,
  entriesMax: 10_000,
  bytesMax: 400 * KIB,
  idleS: 3_600,
};

function stored(retention: LruRetention, scope: string, count: number): void {
  for (let at = 0; at < count; at++) retention.stored({ scope, keyHash: `${at}` }, 100);
}

function released(retention: LruRetention): number {
  return [...retention.overflow()].length;
}

describe("what the LRU counts", () => {
  it("is more than entries: many scopes of one each are bounded too", () => {
    const retention = new LruRetention(OPTIONS);
    for (let at = 0; at < 200; at++) {
      stored(retention, `s${at}`, 1);
      released(retention);
    }
    expect(retention.stats().lru_scopes).toBeLessThan(100);
    expect(retention.stats().lru_bytes).toBeLessThanOrEqual(OPTIONS.bytesMax);
  });

  it("is what a partition takes with its indexes, where that is more", () => {
    const retention = new LruRetention(OPTIONS);
    stored(retention, "s", 100);
    expect(released(retention)).toBe(0);
    retention.measured("s", 192 * KIB);
    expect(released(retention)).toBe(50);
    expect(released(retention)).toBe(0);
  });

  it("comes to nothing when all entries are gone, whatever came before", () => {
    const scope = fc.constantFrom("a", "b");
    const entry = fc.record({ scope, keyHash: fc.constantFrom("1", "2", "3") });
    const step = fc.oneof(
      fc.record({ entry, bytes: fc.integer({ min: 1, max: 90 * KIB }) }),
      fc.record({ removed: entry }),
      fc.record({ scope, partitionBytes: fc.nat(200 * KIB) }),
    );
    const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const retention = new LruRetention(OPTIONS);
      for (const step of steps) {
        if ("entry" in step) retention.stored(step.entry, step.bytes);
        else if ("removed" in step) retention.removed(step.removed);
        else retention.measured(step.scope, step.partitionBytes);
        released(retention);
        expect(retention.stats().lru_bytes).toBeLessThanOrEqual(OPTIONS.bytesMax);
      }
      for (const scope of ["a", "b"]) {
        for (const keyHash of ["1", "2", "3"]) retention.removed({ scope, keyHash });
      }
      expect(retention.stats()).toEqual({ lru_entries: 0, lru_bytes: 0, lru_scopes: 0 });
    });
    fc.assert(property);
  });
});
