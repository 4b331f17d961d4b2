import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import {
  difference,
  type Numbered,
  noDifference,
  numbersFound,
  numbersOf,
  storeMany,
} from "../../../fixtures/many-entries.js";
import type { MemoryAgent, RetrieveInput } from "../../../memory-agent.js";

const COUNT = 1_500;
const WANTED = 3;
const QUERY = "heron in the reeds";
/**
 * Returns fields that match the query. Wanted entries have a lower importance, so that all others rank
 * higher.
 */
const fieldsOf = (at: number) => ({
  content: "the heron stands in the reeds",
  occurred_at: at < COUNT - WANTED ? 5_000 : 1_000,
  importance: at < COUNT - WANTED ? 1 : 0.5,
  group: at < COUNT - WANTED ? "crowd" : "few",
  tags: [at < COUNT - WANTED ? "crowd" : "few"],
  metadata: { few: at >= COUNT - WANTED },
});

/** Criteria that only the wanted entries meet. */
const CRITERIA: readonly RetrieveInput[] = [
  { tags: ["few"] },
  { group: "few" },
  { where: { field: "metadata.few", op: "eq", value: true } },
  { where: { not: { field: "group", op: "eq", value: "crowd" } } },
  { until: 2_000 },
  { keys: [COUNT - 3, COUNT - 2, COUNT - 1].map((at) => ({ at })) },
];

function another({ agent, tier }: MemoryContext): MemoryAgent {
  return agent(tier === "semantic" ? { below: "another" } : { agent: "second" });
}

/**
 * Expects the matching entries to be found although many better entries do not match, also with a small
 * limit.
 */
async function expectFew(t: MemoryContext, held: readonly Numbered[], asked: RetrieveInput): Promise<void> {
  const few = numbersOf(held).slice(-WANTED);
  const mode = `a query in mode ${asked.mode}`;
  for (const criteria of CRITERIA) {
    const what = `of ${mode} with ${JSON.stringify(criteria)}, which ${held.length - WANTED} better entries do not meet`;
    const { entries, total } = await t.caller.retrieve({ ...asked, ...criteria, limit: WANTED });
    t.expect.sameMembers(
      entries.map(({ key }) => key.at),
      few,
      `numbers ${what}`,
    );
    t.expect.equal(total, WANTED, `total ${what}`);
  }
}

/** Expects the agent's entries to be found although another partition has many better entries. */
async function expectAllFound(t: MemoryContext, asked: RetrieveInput): Promise<void> {
  const other = another(t);
  const own = [1, 2, 3].map((at) => t.entry({ ...fieldsOf(COUNT), key: { at } }));
  await other.store(own);
  const { entries, total } = await other.retrieve(asked);
  const what = `of a query in mode ${asked.mode}, with ${COUNT} better entries in another partition`;
  t.expect.sameMembers(
    entries.map(({ key }) => key.at),
    [1, 2, 3],
    `numbers ${what}`,
  );
  t.expect.equal(total, 3, `total ${what}`);
}

/** Queries that match many more entries than fit on a page. */
export const volumeQueryChecks: readonly Check[] = [
  memoryCheck({
    id: "volume/words-among-many",
    clauses: ["RET-1", "RET-3", "RET-7", "SCOPE-5", "CRIT-1"],
    features: ["full_text"],
    async run(t) {
      const held = await storeMany(t, t.caller, COUNT, fieldsOf);
      const asked = { query: QUERY, mode: "text" } as const;
      await expectFew(t, held, asked);
      await expectAllFound(t, asked);
      const { total } = await t.caller.retrieve({ ...asked, limit: 1 });
      const what = `of a query in mode text that ${held.length} entries match`;
      t.expect.equal(total, held.length, `total ${what}`);
      const found = (await numbersFound(t.caller, asked)).sort((a, b) => a - b);
      t.expect.equal(
        difference(found, numbersOf(held)),
        noDifference(held.length),
        `numbers on all pages ${what}`,
      );
    },
  }),
  memoryCheck({
    id: "volume/meaning-among-many",
    clauses: ["RET-1", "RET-3", "SCOPE-5", "CRIT-1"],
    features: ["similarity"],
    async run(t) {
      const held = await storeMany(t, t.caller, COUNT, fieldsOf);
      for (const mode of ["vector", "hybrid"] as const) await expectFew(t, held, { query: QUERY, mode });
      await expectAllFound(t, { query: QUERY, mode: "vector" });
    },
  }),
];
