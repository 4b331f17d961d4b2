import { keyHash } from "@membus/protocol";
import { type Check, memoryCheck } from "../../catalogue/check.js";
import type { MemoryContext } from "../../context.js";
import type { Expect } from "../../expect.js";
import type { MemoryAgent, RetrieveInput } from "../../memory-agent.js";

const SHARED_KEY = { id: "the same key" };
const TAGS = ["anchor"];

/** Requests that each of two isolated agents sends. */
const WAYS: Readonly<Record<string, RetrieveInput>> = {
  "without criteria": {},
  "by key": { keys: [SHARED_KEY] },
  "by key hash": { keys: [{ $hash: keyHash(SHARED_KEY) }] },
  "by tag": { tags: TAGS },
  "by a part of its key": { match: SHARED_KEY },
};

async function expectOwnAlone(
  expect: Expect,
  who: string,
  agent: MemoryAgent,
  content: string,
): Promise<void> {
  for (const [way, request] of Object.entries(WAYS)) {
    const { entries, total } = await agent.retrieve(request);
    const contents = entries.map((entry) => entry.content);
    expect.equal(contents, [content], `contents that ${who} gets ${way}`);
    expect.equal(total, 1, `total that ${who} gets ${way}`);
  }
}

/**
 * Stores one key for two agents. Each must find only its entry, and a forget of one agent must not affect the
 * other.
 */
async function expectApart(
  { expect, entry }: MemoryContext,
  [one, first]: readonly [string, MemoryAgent],
  [other, second]: readonly [string, MemoryAgent],
): Promise<void> {
  const contentOf = (who: string) => `anchor chain of ${who}`;
  for (const [who, agent] of [[one, first] as const, [other, second] as const]) {
    const { receipts } = await agent.store(entry({ key: SHARED_KEY, content: contentOf(who), tags: TAGS }));
    expect.equal(receipts[0]?.outcome, "created", `outcome of the first store of a key by ${who}`);
  }
  await expectOwnAlone(expect, one, first, contentOf(one));
  await expectOwnAlone(expect, other, second, contentOf(other));
  const { deleted } = await second.forget({ all: true });
  expect.equal(deleted, 1, `deleted by a forget of everything by ${other}, who has 1 entry`);
  await expectOwnAlone(expect, one, first, contentOf(one));
}

/** Isolation of partitions. */
export const scopePartitionChecks: readonly Check[] = [
  memoryCheck({
    id: "scope/agents-are-apart",
    clauses: ["SCOPE-5", "SCOPE-2", "SCOPE-3"],
    tiers: ["working", "episodic"],
    async run(t) {
      const second = t.agent({ agent: "second" });
      await expectApart(t, ["the first agent", t.caller], ["the second agent", second]);
    },
  }),
  memoryCheck({
    id: "scope/sessions-are-apart",
    clauses: ["SCOPE-2"],
    tiers: ["working"],
    async run(t) {
      const [one, other] = [t.agent({ session: "one" }), t.agent({ session: "other" })];
      await expectApart(t, ["one session", one], ["the other session", other]);
      const { total } = await t.caller.retrieve();
      t.expect.equal(total, 0, "total for the empty session, with an entry in each of two others");
    },
  }),
  memoryCheck({
    id: "scope/session-is-of-the-working-tier",
    clauses: ["SCOPE-3", "SCOPE-4", "ENV-10"],
    tiers: ["episodic", "semantic"],
    async run({ agent, entry, expect, tier }) {
      const [one, other] = [agent({ session: "one" }), agent({ session: "other" })];
      const stored = entry();
      await one.store(stored);
      const { entries } = await other.retrieve();
      expect.equal(
        entries.map(({ key }) => key),
        [stored.key],
        `keys of the tier ${tier} in another session`,
      );
      const again = await other.store({ ...stored, content: "changed in another session" });
      expect.equal(
        again.receipts[0]?.outcome,
        "updated",
        `outcome of a store over a key of another session in ${tier}`,
      );
    },
  }),
  memoryCheck({
    id: "scope/namespaces-are-apart",
    clauses: ["SCOPE-2", "SCOPE-3", "SCOPE-4"],
    async run(t) {
      const [one, other] = [t.agent({ below: "one" }), t.agent({ below: "other" })];
      await expectApart(t, ["one namespace", one], ["the other namespace", other]);
    },
  }),
  memoryCheck({
    id: "scope/tenants-are-apart",
    clauses: ["SCOPE-5", "SCOPE-2", "SCOPE-3", "SCOPE-4"],
    provisions: ["second_tenant"],
    async run(t) {
      const second = t.agent({ tenant: "second" });
      await expectApart(t, ["the first tenant", t.caller], ["the second tenant", second]);
    },
  }),
  memoryCheck({
    id: "scope/search-is-of-ones-own",
    clauses: ["SCOPE-5"],
    features: ["full_text"],
    async run({ caller, agent, tier, entry, expect }) {
      const other = agent(tier === "semantic" ? { below: "other" } : { agent: "second" });
      await caller.store(entry({ content: "an anchor chain of the caller" }));
      await other.store(entry({ content: "an anchor chain of another" }));
      const { entries, total } = await caller.retrieve({ query: "anchor chain", mode: "text" });
      const contents = entries.map(({ content }) => content);
      const what = "contents that a query by words finds, with such an entry in another partition";
      expect.equal(contents, ["an anchor chain of the caller"], what);
      expect.equal(total, 1, "total of a query by words, with such an entry in another partition");
    },
  }),
  memoryCheck({
    id: "scope/equal-entries-are-not-one",
    clauses: ["SCOPE-5", "SCOPE-1"],
    provisions: ["second_tenant"],
    async run({ caller, agent, entry, expect }) {
      const equal = entry({ content: { text: "the very same fact" } });
      const second = agent({ tenant: "second" });
      await caller.store(equal);
      const { receipts } = await second.store(equal);
      expect.equal(
        receipts[0]?.outcome,
        "created",
        "outcome of a store of an entry that another tenant has stored too",
      );
      await second.forget({ keys: [equal.key] });
      const { entries } = await caller.retrieve();
      const left = entries.map(({ content }) => content);
      expect.equal(left, [equal.content], "contents left after another tenant forgot the same entry");
    },
  }),
  memoryCheck({
    id: "scope/semantic-is-shared",
    clauses: ["SCOPE-4", "PLUG-3"],
    tiers: ["semantic"],
    async run({ caller, agent, entry, expect }) {
      const second = agent({ agent: "second" });
      const one = entry();
      await caller.store([one, entry()]);
      const { entries } = await second.retrieve({ keys: [one.key] });
      const got = entries.map(({ author, content }) => ({ author, content }));
      const stored = [{ author: caller.agent, content: one.content }];
      expect.equal(got, stored, "author and content of another agent's entry in the semantic tier");
      const { receipts } = await second.store({ ...one, content: "of the second" });
      expect.equal(
        receipts[0]?.outcome,
        "updated",
        "outcome of a store over another agent's entry in the semantic tier",
      );
      const both = await caller.retrieve();
      expect.equal(
        both.total,
        2,
        "total in the semantic tier after an agent updated one of another's 2 entries",
      );
      const { deleted } = await second.forget({ keys: [one.key] });
      expect.equal(
        deleted,
        1,
        "deleted by a forget of an entry that another agent stored in the semantic tier",
      );
    },
  }),
  memoryCheck({
    id: "scope/names-do-not-collide",
    clauses: ["SCOPE-2", "SCOPE-5"],
    tiers: ["working"],
    async run({ caller, agent, entry, expect }) {
      // Session and namespace of both agents are the same text if joined with the delimiter.
      for (const delimiter of ["/", ":", "|", ".", "-", "_", ",", " ", "::"]) {
        const tail = `p${delimiter}${caller.namespace}/q`;
        const one = agent({ session: "s", below: tail });
        const other = agent({ session: `s${delimiter}${caller.namespace}/p`, below: "q" });
        await one.store(entry({ content: `of one, ${delimiter}` }));
        const { total } = await other.retrieve();
        expect.equal(total, 0, `total of a session and namespace that join to another's with "${delimiter}"`);
        const own = await one.retrieve();
        expect.equal(own.total, 1, `total of the session and namespace of the entry, with "${delimiter}"`);
      }
    },
  }),
];
