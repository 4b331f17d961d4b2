import { type Check, hostTierCheck, memoryCheck, pluginCheck } from "../../catalogue/check.js";
import type { HostContext, MemoryContext } from "../../context.js";
import type { MemoryAgent } from "../../memory-agent.js";

/** Returns an agent with another partition that is as similar as possible. */
function another({ agent, tier }: MemoryContext): MemoryAgent {
  return agent(tier === "semantic" ? { below: "another" } : { agent: "second" });
}

/** Returns the fields of each query result. */
async function ranked(agent: MemoryAgent, query: string, mode: "text" | "vector") {
  const { entries, total } = await agent.retrieve({ query, mode });
  return { total, ranked: entries.map(({ key, score }) => ({ key, score })) };
}

const QUERY = "copper kettle";

/** Two words, each in one entry and both in a third. The rarity of a word decides the order. */
const TEXTS = ["the copper coin", "the old kettle", "a copper kettle on the stove", "bread and salt"];

async function expectSameRanking(t: MemoryContext, mode: "text" | "vector"): Promise<void> {
  const { caller, entry, expect } = t;
  await caller.store(TEXTS.map((content) => entry({ content })));
  const before = await ranked(caller, QUERY, mode);
  expect.atLeast(before.ranked.length, 1, `entries of a query in mode ${mode} for existing words`);
  const others = Array.from({ length: 60 }, (_, at) => entry({ content: `copper pot number ${at}` }));
  await another(t).store(others);
  const after = await ranked(caller, QUERY, mode);
  const what = `scores, order and total of a query in mode ${mode} after 60 entries with a word of it in another partition`;
  expect.equal(after, before, what);
}

/** Number of other stores between two stores of the caller. It differs in consecutive rounds. */
const BETWEEN = [0, 3, 1, 7, 0, 3] as const;

/** Returns all agents that could share a counter with the caller's partition. */
function neighbours({ agent, tier, tenants }: HostContext): Readonly<Record<string, MemoryAgent>> {
  const of = { "the same agent in another namespace": agent({ below: "another" }) };
  const apart = tier === "semantic" ? {} : { "another agent": agent({ agent: "second" }) };
  const sessions =
    tier === "working" ? { "the same agent in another session": agent({ session: "another" }) } : {};
  const foreign = tenants.length > 1 ? { "an agent of another tenant": agent({ tenant: "second" }) } : {};
  return { ...of, ...apart, ...sessions, ...foreign };
}

/**
 * Returns the growth of a revision per store of other agents if it is the same in all rounds, 0 for no
 * growth. Returns undefined if another source, such as the time, determines the growth.
 */
function addedByEach(growths: readonly number[]): number | undefined {
  const alone = growths[BETWEEN.indexOf(0)]!;
  const each = (growths[BETWEEN.indexOf(1)] ?? 0) - alone;
  return BETWEEN.every((count, round) => growths[round] === alone + count * each) ? each : undefined;
}

/** No reply to an agent reveals data of other agents (clause SCOPE-1). */
export const scopeIndependenceChecks: readonly Check[] = [
  memoryCheck({
    id: "scope/text-scores-do-not-depend-on-others",
    clauses: ["SCOPE-1"],
    features: ["full_text"],
    async run(t) {
      await expectSameRanking(t, "text");
    },
  }),
  memoryCheck({
    id: "scope/vector-scores-do-not-depend-on-others",
    clauses: ["SCOPE-1"],
    features: ["similarity"],
    async run(t) {
      await expectSameRanking(t, "vector");
    },
  }),
  memoryCheck({
    id: "scope/conflict-tells-nothing-of-others",
    clauses: ["SCOPE-1", "UPD-8"],
    features: ["conditional"],
    async run(t) {
      const { caller, entry, expect } = t;
      const [one, two] = [entry(), entry()];
      await another(t).store([one, two]);
      const { errors } = await caller.store({ ...one, if_revision: 7 });
      const got = errors.map(({ code, detail }) => ({ code, revision: detail.revision }));
      const what = "errors of a store with `if_revision` 7 of a key that exists only in another partition";
      expect.equal(got, [{ code: "conflict", revision: 0 }], what);
      const { receipts } = await caller.store({ ...two, if_revision: 0 });
      const outcome = receipts[0]?.outcome;
      expect.equal(
        outcome,
        "created",
        "outcome of a store with `if_revision` 0 of a key that exists only in another partition",
      );
    },
  }),
  pluginCheck({
    id: "scope/revisions-do-not-count-others",
    clauses: ["SCOPE-1"],
    async run(t) {
      const { caller, entry, expect } = t;
      const one = entry();
      const storeAgain = async (content: string) =>
        (await caller.store({ ...one, content })).receipts[0]?.revision ?? 0;
      const others = another(t);
      const growth: number[] = [];
      let last = await storeAgain("at first");
      for (const count of [17, 41, 3]) {
        for (let at = 0; at < count; at++) await others.store(entry());
        const revision = await storeAgain(`after ${count}`);
        growth.push(revision - last);
        last = revision;
      }
      const counted = [18, 42, 4];
      const what =
        "growth of a revision from store to store, with 17, 41 and 3 stores in another partition between";
      expect.notEqual(growth, counted, what);
      expect.equal(
        growth.every((step) => step > 0),
        true,
        "whether the revision grew with each store",
      );
    },
  }),
  hostTierCheck({
    id: "scope/revisions-tell-nothing-of-others",
    clauses: ["SCOPE-1"],
    turn: "alone",
    async run(t) {
      const { caller, entry, expect } = t;
      const one = entry();
      const storeAgain = async (content: string) =>
        (await caller.store({ ...one, content })).receipts[0]?.revision ?? 0;
      for (const [who, others] of Object.entries(neighbours(t))) {
        let last = await storeAgain(`before ${who}`);
        const growths: number[] = [];
        for (const [round, count] of BETWEEN.entries()) {
          for (let at = 0; at < count; at++) await others.store(entry());
          const revision = await storeAgain(`${who}, round ${round}`);
          growths.push(revision - last);
          last = revision;
        }
        const stores = `with ${BETWEEN.join(", ")} stores of ${who} between`;
        const what = `growth of a revision per store of others (${growths.join(", ")}) ${stores}`;
        expect.equal(addedByEach(growths) ?? 0, 0, what);
        expect.atLeast(Math.min(...growths), 1, `least growth of a revision from store to store ${stores}`);
      }
    },
  }),
  memoryCheck({
    id: "scope/order-and-total-do-not-depend-on-others",
    clauses: ["SCOPE-1"],
    async run(t) {
      const { caller, entry, expect } = t;
      const own = [entry(), entry(), entry()];
      for (const one of own) await caller.store(one);
      await another(t).store(Array.from({ length: 30 }, () => entry()));
      const { entries, total } = await caller.retrieve({ limit: 2, order: "oldest" });
      const keys = entries.map(({ key }) => key);
      expect.equal(
        keys,
        [own[0]!.key, own[1]!.key],
        "keys of the oldest 2 of 3 entries, with 30 in another partition",
      );
      expect.equal(total, 3, "total of 3 entries, with 30 in another partition");
    },
  }),
];
