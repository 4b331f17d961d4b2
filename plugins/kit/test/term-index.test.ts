import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TermIndex } from "../src/search/partition/term-index.js";
import type { SlotTerms } from "../src/search/partition/unindexed-terms.js";

const STEP = 3;

/** A row: pairs of a word's hash and its counts. */
type Words = readonly (readonly [hash: number, counts: number])[];

const hash = fc.oneof(fc.nat(5), fc.nat(2 ** 32 - 1), fc.constantFrom(2 ** 32 - 1, 2 ** 31, 127, 128));
const counts = fc.oneof(fc.constantFrom(1, 2, 256, 257, 8_192), fc.integer({ min: 1, max: 2 ** 16 - 1 }));
const words: fc.Arbitrary<Words> = fc.uniqueArray(fc.tuple(hash, counts), {
  maxLength: 6,
  selector: ([hash]) => hash,
});
/** The distance between two slots takes one to four bytes. */
const gap = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2 ** 22 }));

function slotTerms(slot: number, words: Words): SlotTerms {
  return { slot, values: Uint32Array.from(words.flat()), begin: 0, end: 2 * words.length };
}

/** An index beside a model: the words of each slot. */
class Compared {
  readonly index = new TermIndex();
  readonly model = new Map<number, Words>();
  readonly columns = { alive: new Uint8Array(0) };

  add(rows: readonly (readonly [slot: number, words: Words])[]): void {
    const end = rows.at(-1)![0] + 1;
    const alive = new Uint8Array(end);
    alive.set(this.columns.alive);
    for (const [slot, words] of rows) {
      alive[slot] = 1;
      this.model.set(slot, words);
    }
    this.columns.alive = alive;
    this.index.addAll(
      rows.map(([slot, words]) => slotTerms(slot, words)),
      end,
    );
  }

  kill(slot: number): void {
    this.columns.alive[slot] = 0;
    this.model.delete(slot);
  }

  /** Postings of live slots by hash. */
  get expected(): Map<number, [slot: number, counts: number][]> {
    const lists = new Map<number, [number, number][]>();
    for (const [slot, words] of [...this.model].toSorted(([a], [b]) => a - b))
      for (const [hash, counts] of words) lists.set(hash, [...(lists.get(hash) ?? []), [slot, counts]]);
    return lists;
  }

  postings(hash: number, isLive = (slot: number) => this.columns.alive[slot] === 1): [number, number][] {
    const found = this.index.find([hash]).get(hash);
    if (found === undefined) return [];
    return [...found.slots.subarray(0, found.size)]
      .map((slot, at): [number, number] => [slot, found.counts[at]!])
      .filter(([slot]) => isLive(slot));
  }

  check(): void {
    for (const [hash, expected] of this.expected) expect(this.postings(hash)).toEqual(expected);
  }
}

/** Rows in ascending order of their slots. */
const rows = fc.array(fc.tuple(gap, words), { minLength: 1, maxLength: 60 }).map((all) => {
  let slot = -1;
  return all.map(([gap, words]): [number, Words] => {
    slot += gap;
    return [slot, words];
  });
});

describe("the index of words", () => {
  it("returns the postings of each word while segments are merged and slots die", () => {
    const property = fc.property(rows, fc.array(fc.nat(59)), (all, killed) => {
      const compared = new Compared();
      for (const [at, row] of all.entries()) {
        compared.add([row]);
        compared.index.mergeSome(compared.columns, STEP);
        if (killed.includes(at)) compared.kill(row[0]);
        compared.check();
      }
      while (!compared.index.mergeSome(compared.columns, STEP)) compared.check();
      compared.check();
    });
    fc.assert(property, { numRuns: 100 });
  });

  it("has no posting of slots that are dead at the start of a removal, also if a merge runs beside it", () => {
    const property = fc.property(rows, fc.array(fc.nat(59), { minLength: 1 }), (all, killed) => {
      const compared = new Compared();
      for (const row of all) compared.add([row]);
      compared.index.mergeSome(compared.columns, STEP);
      for (const at of killed) if (at < all.length) compared.kill(all[at]![0]);
      for (const _step of compared.index.removeDead(compared.columns, STEP)) {
        compared.check();
        compared.index.mergeSome(compared.columns, STEP);
      }
      const { expected } = compared;
      for (const hash of new Set(all.flatMap(([, words]) => words.map(([hash]) => hash))))
        expect(compared.postings(hash, () => true)).toEqual(expected.get(hash) ?? []);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it("keeps the live slots under their new numbers", () => {
    const property = fc.property(rows, fc.array(fc.nat(59)), (all, killed) => {
      const compared = new Compared();
      for (const [at, [, words]] of all.entries()) compared.add([[at, words]]);
      for (const at of killed) if (at < all.length) compared.kill(at);
      const kept = Uint32Array.from(compared.model.keys());
      const { expected } = compared;
      compared.index.remap(kept, all.length);
      expect(compared.index.upTo).toBe(kept.length);
      for (const [hash, list] of expected)
        expect(compared.postings(hash, () => true)).toEqual(
          list.map(([slot, counts]) => [kept.indexOf(slot), counts]),
        );
    });
    fc.assert(property, { numRuns: 100 });
  });

  it("takes two bytes for a posting of a common word", () => {
    const compared = new Compared();
    const common = Array.from({ length: 50 }, (_, hash) => [hash, 1] as const);
    compared.add(Array.from({ length: 10_000 }, (_, at) => [2 * at, common]));
    expect(compared.index.sizeBytes / (50 * 10_000)).toBeLessThan(1.1);
    const few = new Compared();
    few.add(Array.from({ length: 10_000 }, (_, at) => [at, [[at % 200, 1]]]));
    expect(few.index.sizeBytes / 10_000).toBeLessThan(2.4);
  });

  it("indexes rows with more terms than are sorted at once", () => {
    const compared = new Compared();
    const many = (from: number) => Array.from({ length: 400_000 }, (_, at) => [from + 7 * at, 1] as const);
    compared.add([0, 1, 5].map((slot) => [slot, many(slot)]));
    expect([0, 7, 5, 1].map((hash) => compared.postings(hash))).toEqual([
      [[0, 1]],
      [[0, 1]],
      [[5, 1]],
      [[1, 1]],
    ]);
  });

  it("has a few segments of each size after many single rows", () => {
    const compared = new Compared();
    for (let slot = 0; slot < 5_000; slot++) {
      compared.add([[slot, [[slot % 7, 1]]]]);
      while (!compared.index.mergeSome(compared.columns, 1_000)) {}
    }
    expect(compared.index.sizeBytes).toBeLessThan(5_000 * 3 + 25 * 800);
    compared.check();
  });
});
