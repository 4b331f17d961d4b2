import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeHead,
  decodeRecord,
  encodeRecord,
  type LogRecord,
  latestTime,
  rowCountOf,
  rowIdOf,
  seqOf,
  withoutRows,
} from "../src/journal/record.js";
import { testRow } from "./test-row.js";

const row = fc
  .record({
    rowId: fc.maxSafeNat(),
    revision: fc.maxSafeNat(),
    seq: fc.maxSafeNat(),
    created: fc.double({ min: 0, max: 1e11, noNaN: true }),
    occurredAt: fc.double({ min: 0, max: 1e11, noNaN: true }),
    expiresAt: fc.double({ min: 0, max: 1e11, noNaN: true }),
    importance: fc.double({ min: 0, max: 1, noNaN: true }),
    group: fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
    terms: fc.option(fc.uint32Array({ maxLength: 20 })),
    vector: fc.option(fc.float32Array({ maxLength: 20, noNaN: true })),
    embedder: fc.constantFrom("", "static/128"),
    text: fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
  })
  .map((fields) => testRow(fields));

const record: fc.Arbitrary<LogRecord> = fc.record({
  at: fc.double({ min: 0, max: 1e11, noNaN: true }),
  scope: fc.string(),
  rows: fc.array(row, { maxLength: 4 }),
  removed: fc.array(fc.maxSafeNat(), { maxLength: 6 }),
});
const stamp = { tenant: "acme", agent: "a b", id: "x", digest: "d", done: false };
const result = {
  scope: "s",
  receipts: [{ index: 0, key_hash: "ab", outcome: "created" as const, revision: 1_800_000_000_000_001 }],
  errors: [
    { index: 1, code: "conflict" as const, message: "m", detail: { revision: 5, path: "p", flag: true } },
  ],
};

describe("a log record", () => {
  it("is decoded as it was encoded, from any offset of a larger buffer", () => {
    const property = fc.property(record, fc.boolean(), fc.nat(7), (written, hasResult, offset) => {
      const full = hasResult ? { ...written, op: stamp, result } : written;
      const encoded = encodeRecord(full);
      const larger = Buffer.alloc(encoded.length + offset + 3, 0xff);
      larger.set(encoded, offset);
      expect(decodeRecord(larger.subarray(offset, offset + encoded.length))).toEqual(full);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("is decoded with removals from several scopes", () => {
    const scopeRemovals = [
      { scope: "one", removed: [1, 2] },
      { scope: "two", removed: [3] },
    ];
    const cascaded = { deleted: 3, cascaded: [2] };
    const written = { at: 1, scope: "", rows: [], removed: [], op: stamp, result: cascaded, scopeRemovals };
    expect(decodeRecord(encodeRecord(written))).toEqual(written);
    expect(rowCountOf(written)).toBe(3);
  });

  it("shrinks to its reply, and is marked as stored", () => {
    const written = { at: 1, scope: "s", rows: [testRow()], removed: [7], op: stamp, result };
    const { rows, removed, ...reply } = written;
    const shrunk = withoutRows(encodeRecord(written));
    expect(decodeRecord(shrunk)).toEqual({ ...reply, rows: [], removed: [], isStored: true });
    expect(decodeHead(shrunk)).toMatchObject({ isStored: true, op: stamp });
    expect(withoutRows(shrunk)).toEqual(shrunk);
  });

  it("has a head that is decoded from its first 4 KiB, and rejected if it is damaged", () => {
    const rows = [testRow({ text: "x".repeat(50_000) })];
    const written = { at: 1_800_000_000.5, scope: "s".repeat(1_000), rows, removed: [7], op: stamp };
    const beginning = Buffer.from(encodeRecord(written).subarray(0, 4_096));
    expect(decodeHead(beginning)).toMatchObject({ at: written.at, scope: written.scope, op: stamp });
    for (let offset = 0; offset < 1_000; offset += 3) {
      const damaged = Buffer.from(beginning);
      damaged[offset]! ^= 0x10;
      expect(() => decodeHead(damaged), `byte ${offset}`).toThrow(RangeError);
    }
    expect(() => decodeHead(beginning.subarray(0, 900))).toThrow(RangeError);
  });

  it("gives rows ids that contain its sequence number", () => {
    expect([seqOf(rowIdOf(1, 0)), seqOf(rowIdOf(1, 1023)), seqOf(rowIdOf(2, 0))]).toEqual([1, 1, 2]);
  });

  it("returns the minimum time of the clock, so that no revision is issued twice", () => {
    const revision = 1_800_000_000_123_457;
    const at = 1_800_000_000;
    expect(latestTime({ at, scope: "", rows: [], removed: [] })).toBe(at);
    const latest = latestTime({ at, scope: "", rows: [testRow({ revision })], removed: [] });
    expect(Math.floor(latest * 1e6)).toBeGreaterThan(revision);
    expect(latest).toBeLessThan(1_800_000_000.1235);
  });
});
