import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  codeLengthOf,
  EvidenceBounds,
  encodeSlot,
  evidenceFor,
  type RankCorpus,
  type RankQuery,
  rank,
  relevance,
} from "../src/rank/index.js";
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
  readonly query: RankQuery;
}

const exampleArbitrary: fc.Arbitrary<Example> = fc.constantFrom(1, 5, 8, 24, 131).chain((dimensions) => {
  const vector = vectorArbitrary(dimensions);
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
      allowed: fc.option(fc.uint8Array({ minLength: 40, maxLength: 40, max: 1 }), { nil: undefined }),
    })
    .map(({ entries, vector, terms, allowed }) => ({
      corpus: withCodes(buildCorpus(entries, dimensions)),
      query: {
        terms: terms.map((hash) => ({ hash, word: `w${hash}`, prior: 0.01 })),
        vector: Float32Array.from(vector),
        ...(allowed === undefined ? {} : { allowed }),
      },
    }));
});

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

/** Each slot's bounds, and the exact value of those that may be found. */
function boundsOf({ corpus, query }: Example): { least: number; most: number; exact: number | undefined }[] {
  const bounds = new EvidenceBounds(corpus, query);
  const all = [];
  for (let from = 0; from < corpus.slotCount; from += bounds.stretch) {
    const to = Math.min(from + bounds.stretch, corpus.slotCount);
    bounds.load(from, to);
    for (let slot = from; slot < to; slot++) {
      const mayBeFound = corpus.alive[slot] === 1 && query.allowed?.[slot] !== 0;
      all.push({
        least: relevance(bounds.least[slot - from]!),
        most: relevance(bounds.most[slot - from]!),
        exact: mayBeFound ? bounds.exact(slot) : undefined,
      });
    }
  }
  return all;
}

describe("what codes tell of relevance", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it("bounds what the vectors in full give, and an exact value is the same to the last bit", () => {
    fc.assert(
      fc.property(exampleArbitrary, (example) => {
        const expected = rank(example.corpus, example.query);
        for (const [slot, { least, most, exact }] of boundsOf(example).entries()) {
          if (exact === undefined) continue;
          expect(least).toBeLessThanOrEqual(expected[slot]!);
          expect(most).toBeGreaterThanOrEqual(expected[slot]!);
          expect(exact).toBe(expected[slot]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("is close: a similarity of 128 components is known to a hundredth", () => {
    const [one, other] = fc.sample(vectorArbitrary(128), { numRuns: 2, seed: 7 });
    const corpus = withCodes(buildCorpus([{ terms: {}, vector: one! }], 128));
    const [bounds] = boundsOf({
      corpus,
      query: { terms: [], vector: Float32Array.from(unitVector(one!.map((x, at) => x + other![at]!))) },
    });
    expect(bounds!.most).toBeGreaterThan(bounds!.least);
    expect(bounds!.most - bounds!.least).toBeLessThan(0.03);
  });

  it("is everything where the engine has no SIMD: the bounds are the exact values", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    const fresh = await import("../src/rank/index.js");
    const [{ corpus, query }] = fc.sample(exampleArbitrary, { numRuns: 1, seed: 3 }) as [Example];
    const bounds = new fresh.EvidenceBounds(corpus, query);
    bounds.load(0, corpus.slotCount);
    const expected = [...rank(corpus, query)];
    expect([...bounds.least.subarray(0, corpus.slotCount)].map(relevance)).toEqual(expected);
    expect([...bounds.most.subarray(0, corpus.slotCount)].map(relevance)).toEqual(expected);
  });

  it("refuses a query of other dimensions", () => {
    const corpus = buildCorpus([{ terms: {}, vector: [1, 0] }], 2);
    expect(() => new EvidenceBounds(corpus, { terms: [], vector: new Float32Array(3) })).toThrow(TypeError);
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
