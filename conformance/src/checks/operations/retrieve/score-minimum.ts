import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";
import { vectorAt } from "../../../fixtures/vector-at.js";
import type { EntryInput, RetrieveInput } from "../../../memory-agent.js";

/** Expects `min_score` to omit entries below it, for entries that differ only in importance. */
async function expectMinimum(
  { caller, entry, expect }: MemoryContext,
  fields: Partial<EntryInput>,
  request: RetrieveInput,
): Promise<void> {
  const importances = [1, 0.5, 0.25, 0.125];
  await caller.store(importances.map((id) => entry({ ...HERON, ...fields, key: { id }, importance: id })));
  const all = await caller.retrieve(request);
  const { mode = "no query" } = request;
  const what = `of 4 entries with the importances 1, 0.5, 0.25 and 0.125, in mode ${mode}`;
  expect.sameMembers(foundIds(all), importances, `importances ${what}, without min_score`);
  const second = all.entries.find(({ key }) => key.id === 0.5)!.score;
  const equal = await caller.retrieve({ ...request, min_score: second });
  expect.sameMembers(
    foundIds(equal),
    [1, 0.5],
    `importances ${what}, with the score of the second as min_score`,
  );
  expect.equal(equal.total, 2, `total ${what}, with the score of the second as min_score`);
  const above = await caller.retrieve({ ...request, min_score: second * 1.1 });
  expect.equal(foundIds(above), [1], `importances ${what}, with a min_score above the score of the second`);
  const count = await caller.retrieve({ ...request, min_score: second * 1.1, limit: 0 });
  expect.equal(count.total, 1, `total ${what}, with a min_score above the score of the second and limit 0`);
}

/**
 * Lists 20 entries of importance 0.25 before 3 of importance 1. Expects a page of the entries with at least
 * nine tenths of the maximum score.
 */
async function expectMinimumBeforeLimit(
  { caller, entry, expect }: MemoryContext,
  request: RetrieveInput,
): Promise<void> {
  const older = [1, 2, 3].map((id) =>
    entry({ ...HERON, key: { id }, occurred_at: 1_000 + id, importance: 1 }),
  );
  const newer = Array.from({ length: 20 }, (_, at) =>
    entry({ ...HERON, occurred_at: 2_000 + at, importance: 0.25 }),
  );
  await caller.store([...older, ...newer]);
  const [oldest] = (await caller.retrieve({ ...request, order: "oldest", limit: 1 })).entries;
  const min_score = (oldest?.score ?? 0) * 0.9;
  const page = await caller.retrieve({ ...request, order: "newest", min_score, limit: 2 });
  const what =
    "by newest with limit 2 and nine tenths of the score of 3 entries as min_score, after 20 newer ones with a lower score";
  expect.equal(foundIds(page), [3, 2], `ids ${what}`);
  expect.equal(page.total, 3, `total ${what}`);
}

export const scoreMinimumChecks: readonly Check[] = [
  memoryCheck({
    id: "score/minimum-without-a-query",
    clauses: ["RET-1", "RET-3"],
    run: (t) => expectMinimum(t, {}, {}),
  }),
  memoryCheck({
    id: "score/minimum-in-mode-text",
    clauses: ["RET-1", "RET-3"],
    features: ["full_text"],
    run: (t) => expectMinimum(t, {}, { query: "heron", mode: "text" }),
  }),
  memoryCheck({
    id: "score/minimum-in-mode-vector",
    clauses: ["RET-1", "RET-3"],
    features: ["similarity"],
    async run(t) {
      const vector = vectorAt(t.embedder, 0);
      await expectMinimum(t, vector, { ...vector, mode: "vector" });
    },
  }),
  memoryCheck({
    id: "score/minimum-in-mode-hybrid",
    clauses: ["RET-1", "RET-3"],
    features: ["full_text"],
    run: (t) => expectMinimum(t, {}, { query: "heron", mode: "hybrid" }),
  }),
  memoryCheck({
    id: "score/minimum-applies-before-limit",
    clauses: ["RET-1", "RET-3"],
    run: (t) => expectMinimumBeforeLimit(t, {}),
  }),
  memoryCheck({
    id: "score/minimum-of-a-query-applies-before-limit",
    clauses: ["RET-1", "RET-3"],
    features: ["full_text"],
    run: (t) => expectMinimumBeforeLimit(t, { query: "heron", mode: "text" }),
  }),
];
