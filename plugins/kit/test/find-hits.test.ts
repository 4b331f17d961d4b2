import { importanceFactor } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createEnglishAnalyzer } from "../src/index.js";
import { LoadedPartition } from "../src/lifecycle/residency/loaded-partition.js";
import { findHits } from "../src/operations/retrieve/find-hits.js";
import type { PreparedQuery } from "../src/operations/retrieve/query.js";
import { planRetrieve } from "../src/operations/retrieve/retrieve-plan.js";
import { hashesOf } from "../src/search/analyzer/index.js";
import type { Partition } from "../src/search/partition/partition.js";
import { PreparedFilter } from "../src/search/partition/prepared-filter.js";
import { rank } from "./rank.js";
import { vectorOf } from "./scripted-embedder.js";
import { EMBEDDER, emptyPartition, testRow } from "./test-row.js";

/** Enough for vector codes and for more than one slice. */
const ENTRIES = 6_000;
const WORDS = "solar system planet kitchen oven bread river bridge train station".split(" ");
const SCOPE = { tenant: "t", tier: "episodic", agent: "a", user: null, namespace: "default" } as const;
const analyzer = createEnglishAnalyzer();

function filledPartition(): Partition {
  const partition = emptyPartition();
  for (let id = 1; id <= ENTRIES; id++) {
    const words = [WORDS[id % 10], WORDS[(id * 7) % 9], WORDS[(id * 3) % 4], `w${id % 97}`];
    partition.add(
      testRow({
        ...{ name: `k${id}`, rowId: id, text: words.join(" "), importance: (id % 11) / 10 },
        ...{ occurredAt: 1_800_000_000 + ((id * 31) % 4_001), group: id % 5 === 0 ? `g${id % 35}` : "" },
        facets: { tags: [`t${id % 100}`] },
      }),
    );
  }
  for (let id = 9; id <= ENTRIES; id += 9) partition.remove(testRow({ name: `k${id}` }).keyHash, id);
  while (!partition.indexSome(1_000)) {}
  return partition;
}

const loaded = new LoadedPartition("scope", SCOPE as never, filledPartition(), 1_800_000_000);

/** Ranks every entry in full, sorts, and applies the limit. */
function searchNaively(request: PluginRetrieveRequest, query: PreparedQuery | undefined) {
  const { partition } = loaded;
  const { columns, keys } = partition;
  const allowed = partition.select(new PreparedFilter(request.filter));
  const { terms, vector } = query ?? { terms: [] };
  const { fields, recency, as_of } = request;
  const ranked = { terms, allowed, ...(fields && { fields }), ...(vector && { vector }) };
  const relevance = query && rank(partition.corpus(hashesOf(terms)), ranked);
  const freshness = (slot: number) => {
    if (recency === undefined) return 1;
    const age = Math.max(0, as_of - columns.numbers.occurredAt[slot]!);
    return 1 - recency.weight + recency.weight * 0.5 ** (age / recency.half_life_s);
  };
  const factor = (slot: number) => {
    const importance = columns.numbers.importance[slot]!;
    return relevance === undefined ? importance : importanceFactor(importance);
  };
  const score = (slot: number) =>
    (relevance === undefined ? 1 : relevance[slot]!) * (factor(slot) * freshness(slot));
  const rankOf = (slot: number) =>
    request.order === "relevance" ? score(slot) : columns.numbers.occurredAt[slot]!;
  const sign = request.order === "oldest" ? 1 : -1;
  const compare = (a: number, b: number) =>
    sign * (rankOf(a) - rankOf(b)) ||
    (request.order === "relevance" ? 0 : sign * (columns.numbers.seq[a]! - columns.numbers.seq[b]!)) ||
    keys.compare(a, b);
  const found = [...allowed.keys()]
    .filter((slot) => allowed[slot] === 1 && score(slot) >= request.min_score)
    .filter((slot) => query === undefined || score(slot) > 0)
    .sort(compare);
  const { after } = request;
  const begin = after === undefined ? 0 : found.findIndex((slot) => keys.hashOf(slot) === after.key_hash) + 1;
  const page = found.slice(begin, begin + request.limit);
  return {
    found: page.map((slot) => ({ keyHash: keys.hashOf(slot), score: score(slot) })),
    last: page.at(-1),
    total: found.length,
    positionOf: (slot: number) => ({ rank: rankOf(slot), seq: columns.numbers.seq[slot]! }),
  };
}

const requestArbitrary = fc.record({
  min_score: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.6, noNaN: true })),
  limit: fc.integer({ min: 1, max: 40 }),
  order: fc.constantFrom("relevance", "newest", "oldest"),
  filter: fc.constantFrom(
    { all: [] },
    { field: "tags", op: "eq", value: "t7" },
    { field: "occurred_at", op: "gte", value: 1_800_002_000 },
  ),
  fields: fc.constantFrom(undefined, ["text"], ["context", "time"]),
  recency: fc.constantFrom(undefined, { half_life_s: 600, weight: 0.5 }, { half_life_s: 60, weight: 1 }),
  as_of: fc.constant(1_800_003_000),
});

const queryArbitrary = fc.option(
  fc
    .record({
      text: fc.subarray(WORDS, { minLength: 1, maxLength: 3 }),
      byWords: fc.boolean(),
      byVector: fc.boolean(),
    })
    .map(({ text, byWords, byVector }) => ({
      terms: byWords ? analyzer.analyzeQuery(text.join(" ")) : [],
      ...(byVector || !byWords ? { vector: vectorOf(text.join(" "), EMBEDDER.dimensions)! } : {}),
    })),
  { nil: undefined },
);

it("uses vector codes", () => {
  expect(loaded.partition.corpus([]).vectors!.codes).toBeDefined();
});

it("finds, counts, scores and orders like a full ranking, page after page", () => {
  fc.assert(
    fc.property(requestArbitrary, queryArbitrary, (asked, query) => {
      let request = {
        include: [],
        ...(query && { query: "" }),
        ...asked,
      } as unknown as PluginRetrieveRequest;
      for (let page = 0; page < 3; page++) {
        const expected = searchNaively(request, query);
        const plan = planRetrieve(request).scan;
        const { hits, total } = findHits(loaded, plan, query, new PreparedFilter(plan.filter));
        expect(hits.map(({ keyHash, score }) => ({ keyHash, score }))).toEqual(expected.found);
        expect(total).toBe(expected.total);
        const last = expected.last;
        if (last === undefined) return;
        const { tier, namespace } = SCOPE;
        const key_hash = loaded.partition.keys.hashOf(last);
        request = { ...request, after: { ...expected.positionOf(last), tier, namespace, key_hash } };
      }
    }),
    { numRuns: 60 },
  );
});
