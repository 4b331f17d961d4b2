import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf } from "../src/columns-of.js";
import type { Row } from "../src/index.js";
import { Partition } from "../src/search/partition/partition.js";
import { PreparedFilter } from "../src/search/partition/prepared-filter.js";
import { TermIndex } from "../src/search/partition/term-index.js";
import { TermStatistics } from "../src/search/partition/term-statistics.js";
import { rank } from "./rank.js";
import { vectorOf } from "./scripted-embedder.js";
import { EMBEDDER, emptyPartition, testRow } from "./test-row.js";

const WORDS = "river stone garden winter market letter engine silver".split(" ");

/** Returns the relevance of every live entry for each word, by key hash. */
function scoresOf(partition: Partition): Map<string, number[]> {
  const scores = new Map<string, number[]>();
  for (const word of WORDS) {
    const terms = testRow({ name: "", text: word }).terms!;
    const query = { hash: terms[0]!, word, prior: 1e-4 };
    const vector = vectorOf(`${word} river`, EMBEDDER.dimensions)!;
    const relevance = rank(partition.corpus([query.hash]), { terms: [query], vector });
    for (let slot = 0; slot < relevance.length; slot++) {
      if (partition.columns.alive[slot] === 0) continue;
      const key = partition.keys.hashOf(slot);
      scores.set(key, [...(scores.get(key) ?? []), relevance[slot]!]);
    }
  }
  return scores;
}

const withFields = (...fields: string[]) =>
  new PreparedFilter({ all: fields.map((field) => ({ field, op: "eq", value: "" })) });

function queryTerm(word: string): { hash: number } {
  return { hash: testRow({ name: "", text: word }).terms![0]! };
}

/** Rows with few different keys, texts and groups. */
const rows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record({
      key: fc.nat(12),
      text: fc
        .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
        .map((words) => words.join(" ")),
      group: fc.constantFrom("", "g1", "g2", "g3"),
    }),
    { maxLength: 60 },
  )
  .map((fields) =>
    fields.map(({ key, text, group }, at) => testRow({ rowId: at + 1, name: `k${key}`, text, group })),
  );

function added(all: readonly Row[]): Partition {
  const partition = emptyPartition();
  for (const row of all) partition.add(row);
  return partition;
}

/** Returns the latest row of each key. */
function latest(all: readonly Row[]): Row[] {
  return [...new Map(all.map((row) => [row.keyHash, row])).values()];
}

describe("a partition's scores", () => {
  it("depend only on its live entries, not on history, compaction, loading order or index progress", () => {
    const property = fc.property(rows, fc.integer(), fc.nat(60), (all, seed, indexed) => {
      const expected = scoresOf(added(latest(all)));
      const partition = added(all);
      expect(scoresOf(partition)).toEqual(expected);
      partition.indexSome(indexed);
      expect(scoresOf(partition)).toEqual(expected);
      for (const _step of partition.clearDead(3)) expect(scoresOf(partition)).toEqual(expected);
      expect(scoresOf(partition)).toEqual(expected);
      const shuffled = [...all].sort((a, b) => Math.sin(a.rowId * seed) - Math.sin(b.rowId * seed));
      const loaded = emptyPartition();
      const half = Math.floor(all.length / 2);
      for (const batch of [shuffled.slice(0, half), shuffled.slice(half)]) {
        loaded.load(columnsOf(batch, 8), new Set());
        loaded.indexSome(indexed >> 1);
      }
      expect(scoresOf(loaded)).toEqual(expected);
    });
    fc.assert(property, { numRuns: 60 });
  });

  it("stay when rows without requested vectors are renumbered", () => {
    const partition = emptyPartition();
    for (let rowId = 1; rowId <= 5; rowId++) {
      partition.add(testRow({ rowId, name: `k${rowId}`, embedder: "", vector: null }));
    }
    const [first, second] = [testRow({ rowId: 1, name: "k1" }), testRow({ rowId: 2, name: "k2" })];
    const deleted = [first, testRow({ name: "k3" }), testRow({ name: "k4" })];
    for (const [at, { keyHash }] of deleted.entries()) partition.remove(keyHash, at === 0 ? 1 : at + 2);
    expect([...partition.clearDead(1)]).toEqual([]);
    expect([partition.liveCount, partition.columns.count]).toEqual([2, 2]);
    expect(partition.vectors?.isPending(partition.slotOf(second.keyHash)!)).toBe(true);
  });

  it("stay when most slots are dead and the live ones are renumbered", () => {
    const partition = emptyPartition();
    for (let rowId = 1; rowId <= 4000; rowId++) {
      partition.add(
        testRow({ rowId, name: `k${rowId % 50}`, text: `${WORDS[rowId % 8]} ${WORDS[rowId % 3]}` }),
      );
      if (rowId % 700 === 0) partition.indexSome(900);
    }
    expect(partition.columns.count).toBeLessThan(2000);
    const fresh = emptyPartition();
    for (let rowId = 3951; rowId <= 4000; rowId++) {
      fresh.add(testRow({ rowId, name: `k${rowId % 50}`, text: `${WORDS[rowId % 8]} ${WORDS[rowId % 3]}` }));
    }
    expect(scoresOf(partition)).toEqual(scoresOf(fresh));
  });
});

describe("a partition with a new embedder", () => {
  it("is re-embedding until the last row of the old embedder is gone, while rows without a vector are only pending", () => {
    const termsOf = () => new Uint32Array(0);
    const partition = new Partition({ termsOf, embedder: EMBEDDER, analyzer: "english" });
    partition.add(testRow({ rowId: 1, name: "old", embedder: "other", vector: vectorOf("river", 8) }));
    partition.add(testRow({ rowId: 2, name: "older", embedder: "other", vector: null }));
    partition.add(testRow({ rowId: 3, name: "late", embedder: "", vector: null }));
    expect([partition.isReembedding, partition.pendingCount]).toEqual([true, 3]);
    expect(partition.corpus([]).vectors!.present.slice(0, 3)).toEqual(Uint8Array.of(0, 0, 0));
    partition.add(testRow({ rowId: 4, name: "old" }));
    expect(partition.isReembedding).toBe(true);
    partition.add(testRow({ rowId: 5, name: "older" }));
    expect(partition.isReembedding).toBe(false);
    expect([partition.pendingCount, partition.hasPendingRows]).toEqual([1, true]);
  });
});

describe("a partition's versions", () => {
  it("keep the highest revision of a key, in any order, once", () => {
    const older = testRow({ rowId: 1, text: "older" });
    const newer = testRow({ rowId: 9, text: "newer" });
    const rewritten = { ...newer, rowId: 12 };
    for (const order of [
      [older, newer],
      [newer, older],
      [newer, newer, older],
      [rewritten, newer],
    ]) {
      const partition = added(order);
      expect(partition.liveCount).toBe(1);
      expect(partition.columns.numbers.revision[partition.slotOf(older.keyHash)!]).toBe(9);
    }
    expect(added([newer, rewritten]).slotOfRow(newer.keyHash, 12)).toBeDefined();
  });

  it("counts analysed rows while they are loaded, except after one with other terms", () => {
    const termsOf = (): Uint32Array => {
      throw new Error("not before all rows are there");
    };
    const partition = new Partition({ termsOf, embedder: EMBEDDER, analyzer: "english" });
    const batches = ["english", "other", "english"].map((analyzer, at) =>
      columnsOf([testRow({ rowId: at + 1, name: `k${at}`, text: "river stone", analyzer })], 8),
    );
    for (const batch of batches) partition.load(batch, new Set());
    for (const { slot } of partition.rowsToReanalyse(9, 0))
      partition.setTerms(slot, testRow({ text: "river" }).terms!);
    const { lengths, lengthTotal } = partition.corpus([]);
    expect(lengths[1]).toBeLessThan(lengths[0]!);
    expect(lengthTotal).toBeCloseTo(2 * lengths[0]! + lengths[1]!);
  });

  it("leave out removed rows", () => {
    const partition = emptyPartition();
    const stored = columnsOf([testRow({ rowId: 1 }), testRow({ rowId: 2, name: "other" })], 8);
    partition.load(stored, new Set([1]));
    expect([partition.liveCount, partition.slotOf(testRow().keyHash)]).toEqual([1, undefined]);
  });

  it("are removed by key and row id, once", () => {
    const row = testRow({ rowId: 5, group: "g" });
    const partition = added([row]);
    expect(partition.remove(row.keyHash, 4)).toBeUndefined();
    expect(partition.remove(row.keyHash, 5)).toMatchObject({ rowId: 5, revision: 5, group: "g" });
    expect(partition.remove(row.keyHash, 5)).toBeUndefined();
    expect(partition.liveCount).toBe(0);
    partition.add(testRow({ rowId: 3 }));
    expect(partition.liveCount).toBe(1);
  });

  it("expire at most the requested number at a time", () => {
    const partition = added([1, 2, 3].map((rowId) => testRow({ rowId, name: `k${rowId}`, expiresAt: 100 })));
    const expired = () => partition.expire(100, 2).map(({ rowId }) => rowId);
    expect([expired(), expired(), expired()]).toEqual([[1, 2], [3], []]);
    expect(partition.liveCount).toBe(0);
  });

  it("expire at their second, not before", () => {
    const partition = added([
      testRow({ rowId: 1, expiresAt: 100 }),
      testRow({ rowId: 2, name: "later", expiresAt: 200 }),
      testRow({ rowId: 3, name: "never" }),
    ]);
    expect(partition.expire(99.9)).toEqual([]);
    expect(partition.expire(100).map(({ rowId }) => rowId)).toEqual([1]);
    expect(partition.expire(150)).toEqual([]);
    expect(partition.expire(1e12).map(({ rowId }) => rowId)).toEqual([2]);
    expect(partition.liveCount).toBe(1);
  });
});

describe("a partition's indexes", () => {
  it("are prepared and built in the requested number of steps", () => {
    const partition = added(
      Array.from({ length: 10 }, (_, at) => testRow({ rowId: at + 1, name: `k${at}` })),
    );
    const needs = { words: true, filter: withFields("tags") };
    for (const some of [() => partition.prepareSome(needs, 4), () => partition.indexSome(4)]) {
      expect([some(), some(), some(), some()]).toEqual([false, false, true, true]);
    }
    expect(partition.prepareSome({ words: false, filter: withFields() }, 0)).toBe(true);
  });

  it("contain no removed rows, and report their size", () => {
    const partition = added([testRow({ rowId: 1, text: "secret", facets: { tags: ["hidden"] } })]);
    const before = partition.sizeBytes;
    partition.remove(testRow().keyHash, 1);
    expect([...partition.select(new PreparedFilter({ field: "tags", op: "eq", value: "hidden" }))]).toEqual([
      0,
    ]);
    expect(partition.vectors!.data.every((component) => component === 0)).toBe(true);
    expect(partition.sizeBytes).toBeLessThan(before);
  });

  it("contain no forgotten rows after clearing, despite concurrent changes", () => {
    const steps = fc.array(fc.constantFrom("step", "index", "store", "forget"), { maxLength: 40 });
    const property = fc.property(rows, steps, fc.boolean(), (all, chosen, isIndexed) => {
      const partition = added(all);
      const needs = { words: true, filter: withFields("tags", "group") };
      const index = () => partition.prepareSome(needs, 100) && partition.indexSome(100);
      if (isIndexed) index();
      const forgotten = testRow({ rowId: 500, name: "forgotten", text: "unique", group: "unique" });
      partition.add(forgotten);
      if (isIndexed) index();
      partition.remove(forgotten.keyHash, 500);
      const clearing = partition.clearDead(1);
      for (const [at, what] of chosen.entries()) {
        const [live] = latest(all);
        if (what === "step") clearing.next();
        else if (what === "index") index();
        else if (what === "store") partition.add(testRow({ rowId: 501 + at, name: `n${at}`, text: "river" }));
        else if (live !== undefined) partition.remove(live.keyHash, live.rowId);
      }
      for (const _step of clearing);
      const { hash } = queryTerm("unique");
      expect(partition.corpus([hash]).postings(hash)?.size ?? 0).toBe(0);
      const again = emptyPartition();
      for (const row of latest(all)) {
        if (partition.slotOfRow(row.keyHash, row.rowId) !== undefined) again.add(row);
      }
      for (const [at, what] of chosen.entries()) {
        if (what === "store") again.add(testRow({ rowId: 501 + at, name: `n${at}`, text: "river" }));
      }
      index();
      expect(partition.attribute("group")!.slotsOf("unique")).toHaveLength(0);
      expect(scoresOf(partition)).toEqual(scoresOf(again));
    });
    fc.assert(property, { numRuns: 100 });
  });

  it("do not grow without limit when entries are updated", () => {
    const partition = emptyPartition();
    const sizes: number[] = [];
    for (let rowId = 1; rowId <= 20_000; rowId++) {
      partition.add(testRow({ rowId, name: `k${rowId % 10}`, text: "river stone", group: `g${rowId}` }));
      if (rowId % 500 === 0) partition.indexSome(500);
      if (rowId % 10_000 === 0) sizes.push(partition.sizeBytes);
    }
    expect(sizes[1]!).toBeLessThan(sizes[0]! * 1.5);
  });

  it("of words are kept when slots are renumbered", () => {
    const index = new TermIndex();
    const added = (slot: number, ...terms: number[]) => {
      return { slot, values: Uint32Array.of(0, 0, ...terms), begin: 2, end: 2 + terms.length };
    };
    index.addAll([added(0, 7, 1, 8, 2), added(2, 7, 5)], 3);
    index.addAll([added(3, 8, 3)], 4);
    index.remap(Uint32Array.of(2, 3), 4);
    const postings = (hash: number) => {
      const { slots, counts, size } = index.find([hash]).get(hash)!;
      return [[...slots.subarray(0, size)], [...counts.subarray(0, size)]];
    };
    expect(index.upTo).toBe(2);
    expect(postings(7)).toEqual([[0], [5]]);
    expect(postings(8)).toEqual([[1], [3]]);
    index.addAll([added(2, 8, 1)], 3);
    expect(postings(8)).toEqual([
      [1, 2],
      [3, 1],
    ]);
  });

  it("keep groups and lengths when slots are renumbered", () => {
    const statistics = new TermStatistics();
    const terms = { values: Uint32Array.of(7, 10, 8, 2), begin: 0, end: 4 };
    for (const [slot, group] of [
      [0, "g1"],
      [2, "g2"],
      [3, "g1"],
    ] as const)
      statistics.add(slot, terms, group);
    statistics.drop(0);
    statistics.remap(Uint32Array.of(2, 3));
    statistics.add(2, terms, "g2");
    expect([...statistics.groups.subarray(0, 3)]).toEqual([2, 1, 2]);
    expect([statistics.upTo, statistics.lengthTotal, statistics.lengths[1]]).toEqual([3, 36, 12]);
  });
});
