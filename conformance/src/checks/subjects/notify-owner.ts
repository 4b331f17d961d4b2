import { delay, systemClock } from "@membus/protocol";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { PluginContext } from "../../context.js";
import type { EntryInput } from "../../memory-agent.js";

const POLL_MS = 10;
const POLLS_MAX = 100;

/** Returns the reported changes once `count` have arrived or a second has passed. */
async function reported({ changes }: PluginContext, count: number) {
  for (let poll = 0; poll < POLLS_MAX && changes.length < count; poll++) await delay(systemClock, POLL_MS);
  return changes.map(({ change: { action, key, author, revision }, agent }) => ({
    ...{ action, id: key.id, author, revision, agent },
  }));
}

export const notifyOwnerChecks: readonly Check[] = [
  pluginCheck({
    id: "notify/author-is-of-the-last-revision",
    clauses: ["EVENT-3", "PLUG-11", "ENTRY-16"],
    features: ["shared", "ttl"],
    async run(t) {
      const { caller, entry, expect, features, maintain, passTime } = t;
      const second = t.agent({ agent: "second" });
      const [one, two] = [caller.agent, second.agent];
      const named = (id: string, ttl: number | null, fields: Partial<EntryInput> = {}) =>
        entry({ key: { id }, ttl, content: "first", source: "a document", tags: [id], ...fields });
      const revisions = new Map<unknown, number | undefined>();
      const store = async (agent: typeof caller, input: EntryInput) => {
        const { receipts } = await agent.store(input);
        revisions.set((input.key as { id: string }).id, receipts[0]?.revision);
      };
      for (const [id, ttl] of [["updated", 2] as const, ["forgotten", null] as const]) {
        await store(caller, named(`${id} of two`, ttl));
        await store(second, named(`${id} of two`, ttl, { content: "second" }));
        await store(caller, named(`${id}, claimed`, ttl, { source: two }));
        await store(second, named(`${id} of one`, ttl));
        await store(caller, named(`${id} of one`, ttl, { source: two, content: "second" }));
      }
      await store(second, named("forgotten of one", null, { source: two, content: "second" }));
      if (features.durable) await t.reopen();
      await caller.forget({ tags: ["forgotten of two", "forgotten, claimed", "forgotten of one"] });
      await passTime(3);
      await maintain();
      await second.retrieve();
      const expected = [
        { action: "forgotten", id: "forgotten of two", author: two, agent: one },
        { action: "forgotten", id: "forgotten, claimed", author: one, agent: one },
        { action: "forgotten", id: "forgotten of one", author: one, agent: one },
        { action: "expired", id: "updated of two", author: two, agent: two },
        { action: "expired", id: "updated, claimed", author: one, agent: one },
        { action: "expired", id: "updated of one", author: one, agent: one },
      ].map((change) => ({ ...change, revision: revisions.get(change.id) }));
      const what =
        "authors, revisions and agents of the reported changes of entries that two agents wrote in turn, and of entries with the other agent as source";
      expect.sameMembers(await reported(t, expected.length), expected, what);
    },
  }),
];
