import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  codeLengthOf,
  encodeSlot,
  evidenceFor,
  type PrefilterLimits,
  QuantizedPrefilter,
  type RankCorpus,
  type RankQuery,
  relevance,
} from "../src/search/rank/index.js";
import { prefilterKernel } from "../src/search/rank/prefilter-kernel.js";
import { cosineScale } from "../src/search/rank/relevance.js";
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
  readonly limits: PrefilterLimits;
  /** Slot with the evidence that is used as threshold instead. */
  readonly limitSlot: number | undefined;
}

/** Thresholds near 0, where matches begin, and elsewhere. */
const limitArbitrary = fc.oneof(fc.constantFrom(0, 1e-23, 1e-7), fc.double({ min: 0, max: 1, noNaN: true }));
const limitsArbitrary: fc.Arbitrary<PrefilterLimits> = fc
  .tuple(limitArbitrary, limitArbitrary, fc.oneof(limitArbitrary, fc.constant(Number.POSITIVE_INFINITY)))
  .map(([one, other, pageMin]) => ({
    matchMin: Math.max(1e-23, Math.min(one, other)),
    certainMin: Math.max(1e-23, one, other),
    pageMin,
  }));

/** A component that all vectors share, as in models that find unrelated texts similar. */
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

function limitsOf({ corpus, limits, limitSlot }: Example, prefilter: QuantizedPrefilter): PrefilterLimits {
  if (limitSlot === undefined) return limits;
  const from = Math.max(1e-23, prefilter.evidence(limitSlot % corpus.slotCount));
  return { ...limits, matchMin: from, certainMin: from };
}

interface Sifted {
  readonly candidates: ReadonlyMap<number, { readonly isCertain: boolean }>;
  readonly certainCount: number;
}

function runPrefilter(prefilter: QuantizedPrefilter, slotCount: number, limits: PrefilterLimits): Sifted {
  const candidates = new Map<number, { isCertain: boolean }>();
  let certainCount = 0;
  for (let from = 0; from < slotCount; from += prefilter.sliceSize) {
    certainCount += prefilter.prefilter(from, Math.min(from + prefilter.sliceSize, slotCount), limits);
    for (let index = 0; index < prefilter.candidateCount; index++) {
      candidates.set(prefilter.candidates[index]!, { isCertain: prefilter.isCertain[index] === 1 });
    }
  }
  return { candidates, certainCount };
}

describe("QuantizedPrefilter", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it("returns every possible match, counts the others correctly, and has each slot's exact relevance", () => {
    fc.assert(
      fc.property(exampleArbitrary, (example) => {
        const { corpus, query } = example;
        const expected = rank(corpus, query);
        const prefilter = new QuantizedPrefilter(corpus, query);
        const limits = limitsOf(example, prefilter);
        const { candidates, certainCount } = runPrefilter(prefilter, corpus.slotCount, limits);
        let closedCount = 0;
        for (let slot = 0; slot < corpus.slotCount; slot++) {
          const evidence = prefilter.evidence(slot);
          const found = candidates.get(slot);
          if (query.allowed[slot] === 0) expect(found).toBeUndefined();
          else {
            expect(prefilter.relevance(slot)).toBe(expected[slot]);
            if (found?.isCertain) expect(evidence).toBeGreaterThanOrEqual(limits.certainMin);
            if (found !== undefined || evidence < limits.matchMin) continue;
            expect(evidence).toBeGreaterThanOrEqual(limits.certainMin);
            expect(evidence).toBeLessThan(limits.pageMin);
            closedCount++;
          }
        }
        expect(certainCount).toBe(closedCount);
      }),
      { numRuns: 2_000 },
    );
  });

  it("returns few candidates, because 128 components determine the similarity to a hundredth", () => {
    const vectors = fc.sample(vectorArbitrary(128), { numRuns: 1_001, seed: 7 });
    const corpus = withCodes(
      buildCorpus(
        vectors.slice(1).map((vector) => ({ terms: {}, vector })),
        128,
      ),
    );
    const query = { terms: [], vector: Float32Array.from(vectors[0]!), allowed: corpus.alive };
    const prefilter = new QuantizedPrefilter(corpus, query);
    const evidence = vectors.slice(1).map((_, slot) => prefilter.evidence(slot));
    const limits = { matchMin: 1e-23, certainMin: 1e-23, pageMin: evidence.toSorted((a, b) => b - a)[10]! };
    const { candidates, certainCount } = runPrefilter(prefilter, corpus.slotCount, limits);
    expect(candidates.size).toBeLessThan(250);
    expect(certainCount).toBeGreaterThan(250);
  });

  it("returns a slot with almost no lexical score, for example for a word that every text has", () => {
    const none = { codes: new Int8Array(24), scales: new Float32Array(3), errors: new Float32Array(3) };
    const slots = { ...none, words: Float32Array.of(0, 1e-9, 0.5), allowed: new Uint8Array(3).fill(1) };
    const limits = { matchMin: 1e-23, certainMin: 1e-23, pageMin: 1 };
    const kernel = prefilterKernel(8)!;
    const { candidateGroups, certainCount } = kernel.prefilter(
      { ...encodeQuery(new Float32Array(8), 1), cosines: cosineScale() },
      limits,
      slots,
    );
    expect([[...candidateGroups], certainCount]).toEqual([[0b0100_0010], 1]);
  });

  it("returns every slot if the engine has no SIMD", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    const fresh = await import("../src/search/rank/index.js");
    const [{ corpus, query, limits }] = fc.sample(exampleArbitrary, { numRuns: 1, seed: 3 }) as [Example];
    const prefilter = new fresh.QuantizedPrefilter(corpus, query);
    const { candidates, certainCount } = runPrefilter(
      prefilter as QuantizedPrefilter,
      corpus.slotCount,
      limits,
    );
    expect([candidates.size, certainCount]).toEqual([query.allowed.filter((mark) => mark === 1).length, 0]);
    const expected = rank(corpus, query);
    for (const slot of candidates.keys()) expect(prefilter.relevance(slot)).toBe(expected[slot]);
  });

  it("rejects a query vector with other dimensions", () => {
    const corpus = buildCorpus([{ terms: {}, vector: [1, 0] }], 2);
    const query = { terms: [], vector: new Float32Array(3), allowed: corpus.alive };
    expect(() => new QuantizedPrefilter(corpus, query)).toThrow(TypeError);
  });
});

describe("the evidence for a relevance", () => {
  it("is the smallest with that relevance", () => {
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
