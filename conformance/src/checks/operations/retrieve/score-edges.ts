import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { vectorAt } from "../../../fixtures/vector-at.js";
import type { EntryInput, RetrieveInput } from "../../../memory-agent.js";

/** Importances that single precision and decimal rounding change. */
const IMPORTANCES = [
  1,
  0.9,
  0.7,
  0.700_000_000_000_000_1,
  0.5,
  1 / 3,
  0.300_000_000_000_000_04,
  0.3,
  0.1,
  0.001,
];
const WORDS = ["heron", "lake", "reed", "grey", "water"];
const DEGREES = [0, 7, 14, 21, 28, 35, 42, 49, 56, 63];

/** Returns the smallest double above a positive number. */
function nextAbove(value: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigUint64(0, view.getBigUint64(0) + 1n);
  return view.getFloat64(0);
}

/**
 * Expects a `min_score` that equals the score of an entry to keep that entry. The next higher number must leave it
 * out. Tests this for every entry that is found.
 */
async function expectExactMinimum(
  { caller, entry, expect }: MemoryContext,
  fields: (at: number) => Partial<EntryInput>,
  request: RetrieveInput,
  what: string,
): Promise<void> {
  await caller.store(IMPORTANCES.map((importance, id) => entry({ key: { id }, importance, ...fields(id) })));
  const all = await caller.retrieve({ ...request, limit: 50 });
  expect.atLeast(all.entries.length, 5, `entries of ${what}, of ${IMPORTANCES.length} stored`);
  const expectFrom = async (min_score: number, where: string) => {
    const above = all.entries.filter(({ score }) => score >= min_score).map(({ key }) => key.id);
    const found = await caller.retrieve({ ...request, min_score, limit: 50 });
    const got = { ids: foundIds(found), total: found.total };
    expect.equal(
      got,
      { ids: above, total: above.length },
      `ids and total of ${what}, with a min_score ${where}`,
    );
    const { total } = await caller.retrieve({ ...request, min_score, limit: 0 });
    expect.equal(total, above.length, `total of ${what}, with limit 0 and a min_score ${where}`);
  };
  for (const { key, score } of all.entries) {
    await expectFrom(score, `that equals the score of entry ${key.id}, ${score}`);
    if (score < 1) await expectFrom(nextAbove(score), `just above the score of entry ${key.id}, ${score}`);
  }
}

export const scoreEdgeChecks: readonly Check[] = [
  memoryCheck({
    id: "score/minimum-at-the-importance",
    clauses: ["RET-1", "RET-3", "RET-8"],
    run: (t) => expectExactMinimum(t, () => ({ content: "heron" }), {}, "a listing"),
  }),
  memoryCheck({
    id: "score/minimum-at-the-score-of-words",
    clauses: ["RET-1", "RET-3", "RET-8"],
    features: ["full_text"],
    async run(t) {
      const content = (at: number) => ({ content: WORDS.slice(0, 1 + (at % WORDS.length)).join(" and ") });
      const query = WORDS.join(" ");
      await expectExactMinimum(t, content, { query, mode: "text" }, "a query in mode text");
    },
  }),
  memoryCheck({
    id: "score/minimum-at-the-score-of-a-vector",
    clauses: ["RET-1", "RET-3", "RET-8"],
    features: ["similarity"],
    async run(t) {
      const asked = { ...vectorAt(t.embedder, 0), mode: "vector" as const };
      await expectExactMinimum(t, (at) => vectorAt(t.embedder, DEGREES[at]!), asked, "a vector");
    },
  }),
];
