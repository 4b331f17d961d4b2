import { keyHash } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import type { HostContext } from "../../context.js";
import { refused, request } from "../../fixtures/bare-messages.js";
import { foundIds } from "../../fixtures/found-ids.js";
import type { MemoryAgent, RetrieveInput } from "../../memory-agent.js";

const LARGE_ENTRY_BYTES = 200_000;
const SHARED_KEY = { id: "the same key" };

/** Requests that each of the isolated agents sends. */
const WAYS: readonly RetrieveInput[] = [
  {},
  { keys: [SHARED_KEY] },
  { keys: [{ $hash: keyHash(SHARED_KEY) }] },
  { tags: ["anchor"] },
];

/**
 * Stores one key for each agent. Each must find only its entry, also after another agent has forgotten
 * everything.
 */
async function expectApart(t: HostContext, agents: Readonly<Record<string, MemoryAgent>>): Promise<void> {
  const all = Object.entries(agents);
  for (const [who, agent] of all) {
    const entry = t.entry({ key: SHARED_KEY, content: `chain of ${who}`, tags: ["anchor"] });
    const { receipts } = await agent.store(entry);
    t.expect.equal(receipts[0]?.outcome, "created", `outcome of the first store of a key by ${who}`);
  }
  const removed = new Set<string>();
  for (const [forgetter, forgetting] of all) {
    for (const [who, agent] of all) {
      for (const way of removed.size === 0 ? WAYS : WAYS.slice(0, 1)) {
        const { entries, total } = await agent.retrieve(way);
        const after = `that ${who} gets by ${JSON.stringify(way)} after a forget of everything by ${[...removed].join(", ") || "no agent"}`;
        const expected = removed.has(who) ? [] : [`chain of ${who}`];
        t.expect.equal(
          entries.map(({ content }) => content),
          expected,
          `contents ${after}`,
        );
        t.expect.equal(total, expected.length, `total ${after}`);
      }
    }
    const { deleted } = await forgetting.forget({ all: true });
    t.expect.equal(deleted, 1, `deleted by a forget of everything by ${forgetter}, who has one entry`);
    removed.add(forgetter);
  }
}

const isolationChecks: readonly Check[] = [
  hostTierCheck({
    id: "basic/agents-are-apart",
    clauses: ["SCOPE-5", "SCOPE-2", "SCOPE-3"],
    profile: "basic",
    tiers: ["working", "episodic"],
    run: (t) =>
      expectApart(t, { "the first agent": t.caller, "the second agent": t.agent({ agent: "second" }) }),
  }),
  hostTierCheck({
    id: "basic/sessions-are-apart",
    clauses: ["SCOPE-2"],
    profile: "basic",
    tiers: ["working"],
    run: (t) =>
      expectApart(t, {
        "no session": t.caller,
        "one session": t.agent({ session: "one" }),
        "another session": t.agent({ session: "other" }),
      }),
  }),
  hostTierCheck({
    id: "basic/namespaces-are-apart",
    clauses: ["SCOPE-2", "SCOPE-3", "SCOPE-4"],
    profile: "basic",
    run: (t) =>
      expectApart(t, {
        "one namespace": t.agent({ below: "one" }),
        "one in it": t.agent({ below: "one/inner" }),
        "one of the same beginning": t.agent({ below: "one2" }),
        "one in other letters": t.agent({ below: "One" }),
      }),
  }),
  hostTierCheck({
    id: "basic/tenants-are-apart",
    clauses: ["SCOPE-5", "SCOPE-4"],
    profile: "basic",
    provisions: ["second_tenant"],
    run: (t) => expectApart(t, { "one tenant": t.caller, "the other tenant": t.agent({ tenant: "second" }) }),
  }),
  hostTierCheck({
    id: "basic/semantic-is-shared",
    clauses: ["SCOPE-4", "ENTRY-16"],
    profile: "basic",
    tiers: ["semantic"],
    async run(t) {
      const second = t.agent({ agent: "second" });
      await t.caller.store(t.entry({ key: { id: "shared" }, content: "of the first" }));
      const [read] = (await second.retrieve()).entries;
      t.expect.equal(
        { content: read?.content, author: read?.author },
        { content: "of the first", author: t.caller.agent },
        "entries of the first agent that the second one reads",
      );
      const { receipts } = await second.store(t.entry({ key: { id: "shared" }, content: "of the second" }));
      t.expect.equal(receipts[0]?.outcome, "updated", "outcome of a store over it by the second agent");
      const [now] = (await t.caller.retrieve()).entries;
      t.expect.equal(now?.author, second.agent, "author that the first agent reads then");
    },
  }),
];

const selectionChecks: readonly Check[] = [
  hostTierCheck({
    id: "basic/newest-comes-first",
    clauses: ["RET-5", "RET-6", "RET-3", "RET-4", "RET-1"],
    profile: "basic",
    async run({ caller, entry, expect }) {
      const ids = Array.from({ length: 30 }, (_, at) => `e${at}`);
      for (const id of ids.slice(0, 3)) await caller.store(entry({ key: { id }, tags: ["early"] }));
      await caller.store(ids.slice(3).map((id) => entry({ key: { id } })));
      const page = await caller.retrieve({ limit: 5 });
      expect.equal(
        foundIds(page),
        ids.slice(-5).reverse(),
        "ids of a retrieve with limit 5 of 30 entries, stored in the order of their numbers",
      );
      expect.equal([page.total, page.total_relation], [30, "eq"], "total and total_relation of the same");
      await caller.store(entry({ key: { id: "e1" }, tags: ["early"], content: "changed" }));
      const tagged = await caller.retrieve({ tags: ["early", "absent"], limit: 2 });
      expect.equal(
        foundIds(tagged),
        ["e2", "e1"],
        "ids with limit 2 of 3 entries of a tag, the second changed last",
      );
      expect.equal(tagged.total, 3, "total of the same");
    },
  }),
  hostCheck({
    id: "basic/page-is-cut-to-payload",
    clauses: ["RET-15", "RET-3"],
    profile: "basic",
    async run({ caller, entry, expect, bus }) {
      const count = Math.ceil((bus.maxPayloadBytes * 1.5) / LARGE_ENTRY_BYTES);
      const ids = Array.from({ length: count }, (_, at) => count - at);
      const content = "é".repeat(LARGE_ENTRY_BYTES / 2);
      for (const id of ids.toReversed()) await caller.store(entry({ key: { id }, content }));
      const page = await caller.retrieve({ limit: 1_000 });
      const what = `a page of ${count} entries of 200 kB, where a message holds ${bus.maxPayloadBytes} bytes`;
      const found = foundIds(page);
      expect.equal(
        found,
        ids.slice(0, Math.max(found.length, 1)),
        `ids on ${what}: the newest, and at least one`,
      );
      expect.equal(page.total, count, `total of ${what}`);
    },
  }),
  hostTierCheck({
    id: "basic/criteria-are-anded",
    clauses: ["CRIT-1", "CRIT-2", "CRIT-4", "FORGET-1"],
    profile: "basic",
    async run({ caller, entry, expect, tiers, tier }) {
      const red = { tags: ["red", "round"] };
      await caller.store([
        entry({ key: { id: "both" }, ...red }),
        entry({ key: { id: "key" }, tags: ["Red", "redder", "blue"] }),
        entry({ key: { id: "tag" }, ...red }),
      ]);
      const elsewhere = tiers.find((other) => other !== tier);
      if (elsewhere !== undefined)
        await caller.store(entry({ key: { id: "both" }, ...red, tier: elsewhere }));
      const criteria = { keys: [{ id: "both" }, { id: "key" }], tags: ["green", "red"] };
      const found = await caller.retrieve(criteria);
      expect.equal(foundIds(found), ["both"], "ids of entries with one of two keys and one of two tags");
      expect.equal(found.total, 1, "total of the same");
      const { deleted } = await caller.forget(criteria);
      expect.equal(deleted, 1, "deleted by a forget with the same criteria");
      const left = await caller.retrieve();
      expect.sameMembers(foundIds(left), ["key", "tag"], "ids of the tier after it");
      const others = await caller.retrieve({ tier: elsewhere ?? tier, keys: [{ id: "both" }] });
      expect.equal(
        others.total,
        elsewhere === undefined ? 0 : 1,
        "total of the key in another tier after it",
      );
    },
  }),
  hostTierCheck({
    id: "basic/empty-criteria-are-refused",
    clauses: ["FORGET-4", "FORGET-3"],
    profile: "basic",
    async run(t) {
      await t.caller.store([t.entry({ tags: ["red"] }), t.entry()]);
      for (const criteria of [{ keys: [] }, { tags: [] }, { tags: [""] }, { keys: [""] }, { keys: [{}] }]) {
        for (const all of [{}, { all: true }]) {
          const sent = request(t, "forget", { tier: t.tier, ...criteria, ...all });
          const what = `a forget with ${JSON.stringify({ ...criteria, ...all })}`;
          await refused(t, what, "forget", sent, "schema_violation");
        }
      }
      for (const criteria of [{}, { tier: "semantic" }, { all: false }, { keys: null, tags: null }]) {
        const what = `a forget with ${JSON.stringify(criteria)}, without \`all\``;
        await refused(t, what, "forget", request(t, "forget", criteria), "schema_violation");
      }
      const { total } = await t.caller.retrieve();
      t.expect.equal(total, 2, "total after forgets that are refused, of 2 entries");
    },
  }),
  hostTierCheck({
    id: "basic/own-tiers-are-cleared-by-name",
    clauses: ["FORGET-3", "FORGET-1", "RET-17"],
    profile: "basic",
    tiers: ["working", "episodic"],
    async run({ caller, agent, entry, expect, tier }) {
      const beside = agent({ below: "beside" });
      await caller.store([entry(), entry({ tags: ["red"] })]);
      await beside.store(entry());
      const { deleted } = await caller.forget({ tier });
      expect.equal(deleted, 2, `deleted by a forget that names the tier ${tier} and no criterion`);
      const again = await caller.forget({ tier });
      expect.equal(again.deleted, 0, "deleted by the same once more");
      expect.equal((await caller.retrieve()).total, 0, "total of the namespace then");
      expect.equal((await beside.retrieve()).total, 1, "total of a namespace in it then");
    },
  }),
];

const valueChecks: readonly Check[] = [
  hostTierCheck({
    id: "basic/score-is-the-importance",
    clauses: ["RET-8", "ENTRY-6", "RET-3"],
    profile: "basic",
    async run({ caller, entry, expect }) {
      const scores = { none: undefined, half: 0.5, nothing: 0, quarter: 0.25 };
      const entries = Object.entries(scores).map(([id, score]) =>
        entry({ key: { id }, ...(score !== undefined && { score }) }),
      );
      await caller.store(entries);
      await caller.store(entry({ key: { id: "half" }, score: 0.9, content: "changed" }));
      const scoresOf = (found: Awaited<ReturnType<MemoryAgent["retrieve"]>>) =>
        found.entries.map(({ key, score, importance }) => [key.id, score, importance]);
      expect.sameMembers(
        scoresOf(await caller.retrieve()),
        [
          ["none", 1, 1],
          ["half", 0.5, 0.5],
          ["nothing", 0, 0],
          ["quarter", 0.25, 0.25],
        ],
        "id, score and importance of entries created with the scores 1 by default, 0.5 (0.9 on an update), 0 and 0.25",
      );
      const found = await caller.retrieve({ min_score: 0.5, limit: 1 });
      expect.equal(found.total, 2, "total with min_score 0.5");
      expect.equal(found.entries.length, 1, "entries with min_score 0.5 and limit 1");
    },
  }),
  hostTierCheck({
    id: "basic/ended-entries-are-gone",
    clauses: ["ENTRY-4", "RET-16", "RET-1", "ENTRY-18"],
    profile: "basic",
    async run({ caller, entry, expect, passTime, now }) {
      const ids = ["stays", "lives", "prolonged", "ends", "cut short"];
      const ttls = [undefined, 900, 1, 1, 900];
      await caller.store(ids.map((id, at) => entry({ key: { id }, tags: ["all"], ttl: ttls[at] ?? null })));
      await caller.store([
        entry({ key: { id: "prolonged" }, ttl: 900 }),
        entry({ key: { id: "cut short" }, ttl: 1 }),
      ]);
      await passTime(1.5);
      const left = await caller.retrieve({ limit: 3 });
      expect.equal(
        foundIds(left),
        ["prolonged", "lives", "stays"],
        "ids with limit 3, when of 5 entries the last two have ended",
      );
      expect.equal(left.total, 3, "total of the same");
      const lives = left.entries[1];
      expect.near(lives?.expires_at, now() + 898.5, 60, "expires_at of an entry stored with ttl 900");
      expect.equal(
        left.entries.map(({ ttl, expires_at }) => [ttl, expires_at === undefined]),
        [
          [900, false],
          [900, false],
          [null, true],
        ],
        "ttl, and whether there is no expires_at, of entries with ttl 900, 900 and none",
      );
      const { deleted } = await caller.forget({ keys: [{ id: "ends" }, { id: "cut short" }] });
      expect.equal(deleted, 0, "deleted by a forget of two expired entries");
      const { receipts } = await caller.store(entry({ key: { id: "ends" } }));
      expect.equal(receipts[0]?.outcome, "created", "outcome of a store over an expired entry");
    },
  }),
];

const searchChecks: readonly Check[] = [
  hostTierCheck({
    id: "basic/words-find-and-rank",
    clauses: ["RET-5", "RET-6", "RET-8", "RET-3", "TEXT-1", "TEXT-2"],
    profile: "basic",
    features: ["full_text"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ key: { id: "text" }, content: "Heron and violet by the lake", tags: ["bird"] }),
        entry({ key: { id: "field" }, content: { text: "a heron", note: "violet lake" } }),
        entry({ key: { id: "leaves" }, content: { where: { at: "lake" }, count: 2 }, tags: ["bird"] }),
        entry({ key: { id: "weak" }, content: "Heron and violet by the lake", score: 0.5 }),
        entry({ key: { id: "none" }, content: "an otter swims alone", tags: ["bird"] }),
        entry({ key: { id: "key", name: "violet" }, content: 7 }),
      ]);
      const found = await caller.retrieve({ query: "heron violet lake" });
      expect.equal(foundIds(found)[0], "text", "id of the first for a query of three words that it has");
      expect.sameMembers(
        foundIds(found),
        ["text", "field", "leaves", "weak", "key"],
        "ids for the query: all that have a word of it, in text, `text`, leaves or key",
      );
      expect.equal(found.total, 5, "total of the query");
      const scores = found.entries.map(({ score }) => score);
      expect.equal(
        scores,
        scores.toSorted((a, b) => b - a),
        "scores of the query, highest first",
      );
      const byId = new Map(found.entries.map(({ key, score }) => [key.id, score]));
      expect.near(
        byId.get("weak"),
        byId.get("text")! * 0.875,
        1e-9,
        "score of the same text with importance 0.5",
      );
      expect.holds(
        byId.get("text")! > byId.get("field")!,
        "score of three words as against one",
        Object.fromEntries(byId),
        "higher",
      );
      const tagged = await caller.retrieve({ query: "heron violet lake", tags: ["bird"], limit: 1 });
      expect.equal(foundIds(tagged), ["text"], "ids for the query with a tag and limit 1");
      expect.equal(tagged.total, 2, "total of the same");
      const best = await caller.retrieve({ query: "heron violet lake", min_score: byId.get("text")! });
      expect.equal(foundIds(best), ["text"], "ids for the query with the highest score as min_score");
    },
  }),
  hostTierCheck({
    id: "basic/a-query-without-tier-searches-all",
    clauses: ["RET-19", "CRIT-14"],
    profile: "basic",
    features: ["full_text"],
    tiers: ["working"],
    async run({ caller, entry, expect, tiers }) {
      await caller.store(
        tiers.flatMap((tier, at) =>
          entry({ tier, key: { id: tier }, content: "heron", score: 0.3 * (at + 1) }),
        ),
      );
      const found = await caller.retrieve({ tier: null, query: "heron" });
      expect.equal(
        foundIds(found),
        tiers.toReversed(),
        "tiers of a query in all of them, where each is worth more than the one before",
      );
      expect.equal(found.total, tiers.length, "total of the same");
    },
  }),
];

/** Memory operations with the features of the profile `basic`. */
export const basicMemoryChecks: readonly Check[] = [
  ...isolationChecks,
  ...selectionChecks,
  ...valueChecks,
  ...searchChecks,
];
