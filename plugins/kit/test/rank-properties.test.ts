import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RankQuery } from "../src/search/rank/index.js";
import { rank } from "./rank.js";
import { buildCorpus, type TestEntry } from "./rank-corpus.js";
import { rankNaively } from "./rank-reference.js";

const DIMENSIONS = 5;
const FILLER = 99;
const RUNS = { numRuns: 300 };

const vectorArbitrary = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((components) => components.some((component) => component !== 0))
  .map((components) => {
    const norm = Math.hypot(...components);
    return components.map((component) => Math.fround(component / norm));
  });

const countsArbitrary = fc
  .tuple(fc.nat(3), fc.nat(3), fc.nat(1))
  .filter(([text, context, time]) => text + context + time > 0);

const entryArbitrary: fc.Arbitrary<TestEntry> = fc.record(
  {
    terms: fc.dictionary(fc.constantFrom("1", "2", "3", "4"), countsArbitrary, { maxKeys: 4 }),
    alive: fc.boolean(),
    group: fc.nat(3),
    vector: vectorArbitrary,
  },
  { requiredKeys: ["terms", "alive", "group"] },
);
const entriesArbitrary = fc.array(entryArbitrary, { minLength: 1, maxLength: 20 });

const queryArbitrary: fc.Arbitrary<RankQuery> = fc.record(
  {
    terms: fc
      .uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 })
      .map((hashes) => hashes.map((hash) => ({ hash, word: `w${hash}`, prior: 0.01 / hash }))),
    vector: vectorArbitrary.map((components) => Float32Array.from(components)),
  },
  { requiredKeys: ["terms"] },
);

const scoresOf = (entries: readonly TestEntry[], query: RankQuery) => [
  ...rank(buildCorpus(entries, DIMENSIONS), query),
];

describe("rank", () => {
  it("equals a naive implementation of the formulas", () => {
    fc.assert(
      fc.property(entriesArbitrary, queryArbitrary, fc.infiniteStream(fc.nat(1)), (entries, query, flags) => {
        const filtered = { ...query, allowed: Uint8Array.from(entries, () => flags.next().value) };
        for (const asked of [query, filtered]) {
          const expected = rankNaively(entries, asked);
          for (const [slot, score] of scoresOf(entries, asked).entries()) {
            expect(score).toBeCloseTo(expected[slot]!, 5);
          }
        }
      }),
      RUNS,
    );
  });

  it("stays within 0..1 and never scores a dead slot", () => {
    fc.assert(
      fc.property(entriesArbitrary, queryArbitrary, (entries, query) => {
        for (const [slot, score] of scoresOf(entries, query).entries()) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(entries[slot]!.alive ? 1 : 0);
        }
      }),
      RUNS,
    );
  });

  it("does not change with the filter", () => {
    fc.assert(
      fc.property(entriesArbitrary, queryArbitrary, fc.nat(19), (entries, query, left) => {
        const allowed = new Uint8Array(entries.length).fill(1);
        allowed[left] = 0;
        const expected = scoresOf(entries, query).map((score, slot) => (slot === left ? 0 : score));
        expect(scoresOf(entries, { ...query, allowed })).toEqual(expected);
      }),
      RUNS,
    );
  });
});

describe("a score is absolute", () => {
  it("does not depend on vectors and groups of entries outside the group", () => {
    fc.assert(
      fc.property(entriesArbitrary, entriesArbitrary, queryArbitrary, (entries, donors, query) => {
        const changed = entries.map((entry, slot) => {
          if (entry.group === 1) return entry;
          const { group = 0, vector } = donors[slot % donors.length]!;
          const { terms, alive = true } = entry;
          return { terms, alive, group: group === 1 ? 0 : group, ...(vector && { vector }) };
        });
        const before = scoresOf(entries, query);
        for (const [slot, score] of scoresOf(changed, query).entries()) {
          if (entries[slot]!.group === 1) expect(score).toBe(before[slot]);
        }
      }),
      RUNS,
    );
  });

  it("does not depend on other entries for a query by vector only", () => {
    fc.assert(
      fc.property(entriesArbitrary, entriesArbitrary, queryArbitrary, (entries, others, query) => {
        const byVector = { ...query, terms: [] };
        const together = scoresOf([...entries, ...others], byVector);
        expect(together.slice(0, entries.length)).toEqual(scoresOf(entries, byVector));
      }),
      RUNS,
    );
  });

  it("changes by less than 0.05 when unrelated entries are added to other groups", () => {
    const unrelated = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 });
    fc.assert(
      fc.property(entriesArbitrary, unrelated, queryArbitrary, (entries, lengths, query) => {
        const strangers = lengths.map(
          (length) => ({ terms: { [FILLER]: [length, 0, 0] }, group: 9 }) as const,
        );
        const before = scoresOf(entries, query);
        const after = scoresOf([...entries, ...strangers], query);
        for (const [slot, score] of before.entries())
          expect(Math.abs(after[slot]! - score)).toBeLessThan(0.05);
        expect(after.slice(entries.length)).toEqual(strangers.map(() => 0));
      }),
      RUNS,
    );
  });
});

describe("a score is monotone", () => {
  it("does not fall when a query word replaces another word", () => {
    fc.assert(
      fc.property(
        entriesArbitrary,
        queryArbitrary,
        fc.integer({ min: 1, max: 3 }),
        (others, query, count) => {
          const entryWith = (asked: number, filler: number): TestEntry => ({
            terms: { 1: [asked, 0, 0], [FILLER]: [filler, 0, 0] },
            group: 2,
          });
          const [before] = scoresOf([entryWith(1, count + 1), ...others], query);
          const [after] = scoresOf([entryWith(1 + count, 1), ...others], query);
          expect(after).toBeGreaterThanOrEqual(before!);
        },
      ),
      RUNS,
    );
  });

  it("does not fall when the vector comes closer", () => {
    const angle = fc.double({ min: 0, max: Math.PI, noNaN: true });
    fc.assert(
      fc.property(entriesArbitrary, queryArbitrary, angle, angle, (others, query, one, other) => {
        const vector = Float32Array.of(1, 0, 0, 0, 0);
        const at = (turned: number) => [Math.cos(turned), Math.sin(turned), 0, 0, 0];
        const entryAt = (turned: number): TestEntry => ({ terms: { 1: [1, 0, 0] }, vector: at(turned) });
        const [near] = scoresOf([entryAt(Math.min(one, other)), ...others], { ...query, vector });
        const [far] = scoresOf([entryAt(Math.max(one, other)), ...others], { ...query, vector });
        expect(near).toBeGreaterThanOrEqual(far!);
      }),
      RUNS,
    );
  });
});
