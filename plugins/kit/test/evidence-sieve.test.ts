import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  codeLengthOf,
  EvidenceSieve,
  encodeSlot,
  evidenceFor,
  type RankCorpus,
  type RankQuery,
  relevance,
  type SieveLimits,
} from "../src/search/rank/index.js";
import { cosineScale } from "../src/search/rank/relevance.js";
import { sieveKernel } from "../src/search/rank/sieve-kernel.js";
import { encodeQuery } from "../src/search/rank/vector-codes.js";
import { rank } from "./rank.js";
import { buildCorpus, type TestEntry } from "./rank-corpus.js";

const unitVector = (components: readonly number[]): number[] => {
  const norm = Math.hypot(...components) || 1;
  return components.map((component) => Math.fround(component / norm));
};

function vectorArbitrary(dimensions: number): fc.Arbitrary<number[]> {
  const component = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.double({ min: -1, max: 1, noNaN: true }));
  return fc.array(component, { minLength: dimensions, maxLength: dimensions }).map(unitVector);
}

interface Example {
  readonly corpus: RankCorpus;
  readonly query: RankQuery & { readonly allowed: Uint8Array };
  readonly limits: SieveLimits;
  /** Whose evidence is the limit of what counts, instead. */
  readonly limitSlot: number | undefined;
}

/** Limits near 0, where what is related begins, and anywhere. */
const limitArbitrary = fc.oneof(fc.constantFrom(0, 1e-23, 1e-7), fc.double({ min: 0, max: 1, noNaN: true }));
const limitsArbitrary: fc.Arbitrary<SieveLimits> = fc
  .tuple(limitArbitrary, limitArbitrary, fc.oneof(limitArbitrary, fc.constant(Number.POSITIVE_INFINITY)))
  .map(([one, other, pageFrom]) => ({
    countFrom: Math.max(1e-23, Math.min(one, other)),
    sureFrom: Math.max(1e-23, one, other),
    pageFrom,
  }));

/** What unrelated texts have in common, and with it all vectors. */
const exampleArbitrary = fc
  .tuple(fc.constantFrom(1, 5, 8, 24, 131), fc.constantFrom(0, 0.3, 0.75, 0.98))
  .chain(([dimensions, shared]) => exampleOf(dimensions, shared));

function exampleOf(dimensions: number, shared: number): fc.Arbitrary<Example> {
  const vector = vectorArbitrary(dimensions).map((components) => {
    const own = components.slice(1).map((component) => component * Math.sqrt(1 - shared));
    return shared === 0 ? components : unitVector([Math.sqrt(shared), ...own]);
  });
  const entry: fc.Arbitrary<TestEntry> = fc.record(
    {
      terms: fc.dictionary(fc.constantFrom("1", "2"), fc.constant([1, 0, 0] as const), { maxKeys: 2 }),
      alive: fc.boolean(),
      group: fc.nat(2),
      vector,
    },
    { requiredKeys: ["terms"] },
  );
  return fc
    .record({
      entries: fc.array(entry, { minLength: 1, maxLength: 40 }),
      vector,
      terms: fc.subarray([1, 2, 3]),
      allowed: fc.oneof(fc.constant(new Uint8Array(40).fill(1)), fc.uint8Array({ minLength: 40, max: 1 })),
      limits: limitsArbitrary,
      limitSlot: fc.option(fc.nat(39), { nil: undefined }),
    })
    .map(({ entries, vector, terms, allowed, limits, limitSlot }) => {
      const corpus = withCodes(buildCorpus(entries, dimensions));
      return {
        corpus,
        query: {
          terms: terms.map((hash) => ({ hash, word: `w${hash}`, prior: 0.01 })),
          vector: Float32Array.from(vector),
          scale: cosineScale(shared),
          allowed: corpus.alive.map((mark, slot) => mark & allowed[slot]!),
        },
        limits,
        limitSlot,
      };
    });
}

function withCodes(corpus: RankCorpus): RankCorpus {
  const { data, dimensions, present } = corpus.vectors!;
  const codes = {
    codes: new Int8Array(corpus.slotCount * codeLengthOf(dimensions)),
    scales: new Float32Array(corpus.slotCount),
    errors: new Float32Array(corpus.slotCount),
  };
  for (let slot = 0; slot < corpus.slotCount; slot++)
    if (present[slot] === 1) encodeSlot(codes, slot, data, dimensions);
  return { ...corpus, vectors: { ...corpus.vectors!, codes } };
}

function limitsOf({ corpus, limits, limitSlot }: Example, sieve: EvidenceSieve): SieveLimits {
  if (limitSlot === undefined) return limits;
  const from = Math.max(1e-23, sieve.evidence(limitSlot % corpus.slotCount));
  return { ...limits, countFrom: from, sureFrom: from };
}

interface Sifted {
  readonly open: ReadonlyMap<number, { readonly isSure: boolean }>;
  readonly sureCount: number;
}

function sift(sieve: EvidenceSieve, slotCount: number, limits: SieveLimits): Sifted {
  const open = new Map<number, { isSure: boolean }>();
  let sureCount = 0;
  for (let from = 0; from < slotCount; from += sieve.sliceSize) {
    sureCount += sieve.sift(from, Math.min(from + sieve.sliceSize, slotCount), limits);
    for (let index = 0; index < sieve.openCount; index++) {
      open.set(sieve.open[index]!, { isSure: sieve.isSure[index] === 1 });
    }
  }
  return { open, sureCount };
}

describe("EvidenceSieve", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it("leaves no slot closed that is open, counts the others rightly, and knows each slot's relevance to the last bit", () => {
    fc.assert(
      fc.property(exampleArbitrary, (example) => {
        const { corpus, query } = example;
        const expected = rank(corpus, query);
        const sieve = new EvidenceSieve(corpus, query);
        const limits = limitsOf(example, sieve);
        const { open, sureCount } = sift(sieve, corpus.slotCount, limits);
        let closedCount = 0;
        for (let slot = 0; slot < corpus.slotCount; slot++) {
          const evidence = sieve.evidence(slot);
          const found = open.get(slot);
          if (query.allowed[slot] === 0) expect(found).toBeUndefined();
          else {
            expect(sieve.relevance(slot)).toBe(expected[slot]);
            if (found?.isSure) expect(evidence).toBeGreaterThanOrEqual(limits.sureFrom);
            if (found !== undefined || evidence < limits.countFrom) continue;
            expect(evidence).toBeGreaterThanOrEqual(limits.sureFrom);
            expect(evidence).toBeLessThan(limits.pageFrom);
            closedCount++;
          }
        }
        expect(sureCount).toBe(closedCount);
      }),
      { numRuns: 2_000 },
    );
  });

  it("leaves few open: a similarity of 128 components is known to a hundredth", () => {
    const vectors = fc.sample(vectorArbitrary(128), { numRuns: 1_001, seed: 7 });
    const corpus = withCodes(
      buildCorpus(
        vectors.slice(1).map((vector) => ({ terms: {}, vector })),
        128,
      ),
    );
    const query = { terms: [], vector: Float32Array.from(vectors[0]!), allowed: corpus.alive };
    const sieve = new EvidenceSieve(corpus, query);
    const evidence = vectors.slice(1).map((_, slot) => sieve.evidence(slot));
    const limits = { countFrom: 1e-23, sureFrom: 1e-23, pageFrom: evidence.toSorted((a, b) => b - a)[10]! };
    const { open, sureCount } = sift(sieve, corpus.slotCount, limits);
    expect(open.size).toBeLessThan(250);
    expect(sureCount).toBeGreaterThan(250);
  });

  it("opens a slot for which words say next to nothing, as a word does that every text has", () => {
    const none = { codes: new Int8Array(24), scales: new Float32Array(3), errors: new Float32Array(3) };
    const slots = { ...none, words: Float32Array.of(0, 1e-9, 0.5), allowed: new Uint8Array(3).fill(1) };
    const limits = { countFrom: 1e-23, sureFrom: 1e-23, pageFrom: 1 };
    const kernel = sieveKernel(8)!;
    const { openGroups, sureCount } = kernel.sift(
      { ...encodeQuery(new Float32Array(8), 1), cosines: cosineScale() },
      limits,
      slots,
    );
    expect([[...openGroups], sureCount]).toEqual([[0b0100_0010], 1]);
  });

  it("opens every slot where the engine has no SIMD", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    const fresh = await import("../src/search/rank/index.js");
    const [{ corpus, query, limits }] = fc.sample(exampleArbitrary, { numRuns: 1, seed: 3 }) as [Example];
    const sieve = new fresh.EvidenceSieve(corpus, query);
    const { open, sureCount } = sift(sieve as EvidenceSieve, corpus.slotCount, limits);
    expect([open.size, sureCount]).toEqual([query.allowed.filter((mark) => mark === 1).length, 0]);
    const expected = rank(corpus, query);
    for (const slot of open.keys()) expect(sieve.relevance(slot)).toBe(expected[slot]);
  });

  it("refuses a query of other dimensions", () => {
    const corpus = buildCorpus([{ terms: {}, vector: [1, 0] }], 2);
    const query = { terms: [], vector: new Float32Array(3), allowed: corpus.alive };
    expect(() => new EvidenceSieve(corpus, query)).toThrow(TypeError);
  });
});

describe("the evidence for a relevance", () => {
  it("is where relevance begins to reach it", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (target) => {
        const from = evidenceFor(target);
        expect(relevance(from)).toBeGreaterThanOrEqual(target);
        if (from > 0) expect(relevance(from * (1 - 1e-9))).toBeLessThan(target);
      }),
      { numRuns: 1_000 },
    );
    expect(evidenceFor(1.5)).toBe(Number.POSITIVE_INFINITY);
  });
});
