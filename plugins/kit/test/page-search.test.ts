import { expect, it } from "vitest";
import type { LoadedPartition } from "../src/lifecycle/residency/loaded-partition.js";
import { PageSearch } from "../src/operations/retrieve/page-search.js";
import { planRetrieve } from "../src/operations/retrieve/retrieve-plan.js";
import { codeLengthOf, encodeSlot, evidenceFor, relevance } from "../src/search/rank/index.js";
import { retrieveRequest } from "./kit-requests.js";
import { rank } from "./rank.js";

const DIMENSIONS = 4;
/** Together with the share of the words it gives the evidence below. */
const VECTOR = [0.25095561146736145, -0.013388792052865028, 0, 0.9679059982299805];
const QUERY = {
  terms: [{ hash: 1, word: "a", prior: 0.01 }],
  vector: Float32Array.of(1, 2 ** -23, 0, 0),
};

/** Two equal entries with the word twice and a length at which the word scores eleven sixteenths. */
function twins() {
  const vectors = Float32Array.from([...VECTOR, ...VECTOR]);
  const codes = {
    codes: new Int8Array(2 * codeLengthOf(DIMENSIONS)),
    scales: new Float32Array(2),
    errors: new Float32Array(2),
  };
  for (const slot of [0, 1]) encodeSlot(codes, slot, vectors, DIMENSIONS);
  const length = 0.5;
  const lengthFactor = (2 * (16 / 11 - 1)) / 1.2;
  const averageLength = length / lengthFactor;
  return {
    ...{ slotCount: 2, alive: Uint8Array.of(1, 1), liveCount: 2 },
    ...{ lengths: Float32Array.of(length, length), lengthTotal: averageLength * 52 - 1_000 },
    contextShares: Float32Array.of(1, 1),
    ...{ groups: new Uint32Array(2), hasGroups: false },
    postings: () => ({ slots: Uint32Array.of(0, 1), counts: Uint16Array.of(2, 2), size: 2 }),
    vectors: { data: vectors, dimensions: DIMENSIONS, present: Uint8Array.of(1, 1), codes },
  };
}

it("lists equal entries by key hash, despite rounding of their relevance", () => {
  const evidence = 0.7071059070211948;
  expect(evidenceFor(relevance(evidence))).toBeGreaterThan(evidence);
  const corpus = twins();
  expect([...rank(corpus, QUERY)]).toEqual([relevance(evidence), relevance(evidence)]);
  const partition = {
    columns: { occurredAt: new Float64Array(2), seqs: new Float64Array(2) },
    keys: { compare: (a: number, b: number) => b - a },
  };
  const search = new PageSearch(
    { partition } as unknown as LoadedPartition,
    planRetrieve(retrieveRequest({ query: "a", limit: 1 })).scan,
    { corpus, query: { ...QUERY, allowed: corpus.alive } },
    Float64Array.of(1, 1),
  );
  expect(search.run()).toEqual({ slots: [{ slot: 1, score: relevance(evidence) }], total: 2 });
});
