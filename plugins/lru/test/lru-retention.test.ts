import { scopeId } from "@membus/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ScopeFields, scope } from "../../kit/test/kit-requests.js";
import { LruRetention } from "../src/lru-retention.js";

const KIB = 1024;
const OPTIONS = {
  scopeEntriesMax: 1_000,
  scopeBytesMax: 100 * KIB,
  entriesMax: 10_000,
  bytesMax: 400 * KIB,
  operationBytesMax: 1024 * KIB,
  operationCountMax: 1_000,
  idleS: 3_600,
};

const idOf = (fields: ScopeFields) => scopeId(scope({ tier: "working", ...fields }));

function stored(retention: LruRetention, place: ScopeFields, count: number): void {
  for (let at = 0; at < count; at++) retention.stored({ scope: idOf(place), keyHash: `${at}` }, 100);
}

function released(retention: LruRetention): number {
  return [...retention.overflow()].length;
}

describe("the usage of the LRU", () => {
  it("includes scopes, so that many scopes of one entry are limited too", () => {
    const retention = new LruRetention(OPTIONS);
    for (let at = 0; at < 200; at++) {
      stored(retention, { session: `s${at}` }, 1);
      retention.measured(idOf({ session: `s${at}` }), 3 * KIB);
      released(retention);
    }
    expect(retention.stats().lru_scopes).toBeLessThan(100);
    expect(retention.stats().lru_bytes).toBeLessThanOrEqual(OPTIONS.bytesMax);
  });

  it("includes the bytes of partitions and indexes", () => {
    const retention = new LruRetention(OPTIONS);
    stored(retention, { session: "s" }, 100);
    expect(released(retention)).toBe(0);
    retention.measured(idOf({ session: "s" }), 192 * KIB);
    const count = released(retention);
    expect([count > 50, count < 80]).toEqual([true, true]);
    expect(released(retention)).toBe(0);
  });

  it("returns to zero when all entries are removed", () => {
    const [a, b] = [idOf({ session: "a" }), idOf({ session: "b", agent: "bob" })] as const;
    const scope = fc.constantFrom(a, b);
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
      for (const scope of [a, b]) {
        for (const keyHash of ["1", "2", "3"]) retention.removed({ scope, keyHash });
      }
      expect(retention.stats()).toMatchObject({
        lru_entries: 0,
        lru_bytes: 0,
        lru_scopes: 0,
        lru_tenants: 0,
      });
    });
    fc.assert(property);
  });
});
