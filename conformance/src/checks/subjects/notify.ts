import { delay, keyHash, systemClock } from "@membus/protocol";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { PluginContext } from "../../context.js";
import { LIKE_NAMES, LONGEST_PATHS } from "../../fixtures/like-names.js";
import { newRequestId } from "../../fixtures/request-id.js";
import type { EntryInput, ForgetInput, StoreReply } from "../../memory-agent.js";

const POLL_MS = 10;
const POLLS_MAX = 100;
/**
 * More entries than fit on a page, in the key list of a database statement, or in a queue of typical plugins.
 */
const HUNDREDS = 300;

/**
 * Returns the reported changes once `count` have arrived or a second has passed, after a short further wait.
 */
async function reported({ changes }: PluginContext, count: number): Promise<PluginContext["changes"]> {
  for (let poll = 0; poll < POLLS_MAX && changes.length < count; poll++) await delay(systemClock, POLL_MS);
  await delay(systemClock, POLL_MS);
  return changes;
}

/** Returns the change that must be reported for an entry of the caller. */
function expectedChange(t: PluginContext, action: string, entry: EntryInput, { receipts }: StoreReply) {
  const { key, tags = [], group } = entry;
  const key_hash = keyHash(key as string);
  const revision = receipts.find((receipt) => receipt.key_hash === key_hash)?.revision;
  return { action, scope: t.scope(), key, key_hash, tags, group, revision, author: t.caller.agent };
}

/** Changes that a plugin reports to its host with `notify` (clause PLUG-11). */
export const notifyChecks: readonly Check[] = [
  pluginCheck({
    id: "notify/forgotten-is-reported",
    clauses: ["PLUG-11", "EVENT-3"],
    async run(t) {
      const { caller, agent, entry, expect, tier } = t;
      const removed = [entry({ tags: ["red", "blue"], group: "one" }), entry({ tags: ["red"] })];
      await caller.store({ ...removed[0]!, content: "before" });
      const stored = await caller.store([...removed, entry()]);
      expect.equal(stored.receipts.length, 3, "receipts of a store of 3 entries");
      const forgetter = tier === "semantic" ? agent({ agent: "second" }) : caller;
      await forgetter.forget({ tags: ["red"] });
      const expected = removed.map((one) => expectedChange(t, "forgotten", one, stored));
      const changes = await reported(t, 2);
      expect.sameMembers(
        changes.map(({ change }) => change),
        expected,
        "changes reported of a forget of 2 of 3 entries",
      );
      const agents = changes.map((change) => change.agent);
      const what = "agents in the changes of a forget: the one that forgot, for each entry";
      expect.equal(agents, [forgetter.agent, forgetter.agent], what);
    },
  }),
  pluginCheck({
    id: "notify/expired-is-reported",
    clauses: ["PLUG-11", "EVENT-3"],
    features: ["ttl"],
    async run(t) {
      const { caller, agent, entry, expect, passTime, maintain } = t;
      const ended = entry({ tags: ["red"], group: "one", ttl: 1 });
      const stored = await caller.store([ended, entry({ ttl: 3_600 }), entry()]);
      expect.equal(stored.receipts.length, 3, "receipts of a store of 3 entries");
      await passTime(2);
      await maintain();
      await agent({ agent: "second" }).retrieve();
      await caller.retrieve();
      const changes = await reported(t, 1);
      const expected = [expectedChange(t, "expired", ended, stored)];
      const what = "1 s after one of 3 entries has expired, after maintenance and a retrieve";
      expect.equal(
        changes.map(({ change }) => change),
        expected,
        `changes reported ${what}`,
      );
      const agents = changes.map((change) => change.agent);
      expect.equal(agents, [caller.agent], `agents in the changes ${what}: the author`);
      await maintain();
      await caller.forget({ all: true });
      const later = (await reported(t, 3)).filter(({ change }) => change.action === "expired");
      expect.equal(
        later.length,
        1,
        "changes with the action `expired` of an entry, after more maintenance and a forget",
      );
    },
  }),
  pluginCheck({
    id: "notify/nothing-else-is-reported",
    clauses: ["PLUG-11", "EVENT-2"],
    async run(t) {
      const { caller, entry, expect, maintain } = t;
      const [one, id] = [entry({ tags: ["red"] }), newRequestId()];
      await caller.store(one);
      await caller.store(one);
      await caller.store({ ...one, content: "changed" });
      await caller.retrieve();
      await caller.forget({ tags: ["red"], dry_run: true });
      await maintain();
      const before = (await reported(t, 0)).map(({ change }) => change.action);
      expect.equal(before, [], "changes reported of a store, an update, a retrieve and a dry run");
      for (const _ of ["first", "repeated"]) await caller.forget({ tags: ["red"], id });
      const after = (await reported(t, 1)).map(({ change }) => change.action);
      expect.equal(after, ["forgotten"], "changes reported of a forget of 1 entry that is sent twice");
    },
  }),
  pluginCheck({
    id: "notify/names-whose-and-where-exactly",
    clauses: ["PLUG-11", "EVENT-1", "EVENT-3"],
    async run(t) {
      const { agent, entry, expect, scope } = t;
      const places = [
        ...LIKE_NAMES.map((name) => ({ named: { agent: name } })),
        ...[...LIKE_NAMES, ...LONGEST_PATHS].map((below) => ({ below })),
      ];
      for (const place of places) {
        const { key } = entry();
        await agent(place).store(entry({ key }));
        await agent(place).forget({ keys: [key] });
      }
      const changes = await reported(t, places.length);
      const notified = changes.map(({ change, agent: by }) => ({
        scope: change.scope,
        author: change.author,
        by,
      }));
      const expected = places.map((place) => {
        const by = agent(place).agent;
        return { scope: scope(place), author: by, by };
      });
      expect.sameMembers(
        notified,
        expected,
        "scope, author and agent of forgotten entries in similar partitions",
      );
    },
  }),
  pluginCheck({
    id: "notify/each-of-hundreds-is-reported",
    clauses: ["PLUG-11", "FORGET-5"],
    async run(t) {
      const { caller, agent, entry, expect, features } = t;
      const numbers = Array.from({ length: HUNDREDS }, (_, at) => at);
      const inner = agent({ below: "inner" });
      const ways: Record<string, ForgetInput> = {
        "its key": { keys: numbers.map((at) => ({ at })) },
        "its namespace": { namespace: inner.namespace, all: true },
        ...(features.subtree && { "a namespace above": { namespace: `${caller.namespace}/**`, all: true } }),
      };
      for (const [way, request] of Object.entries(ways)) {
        const entries = numbers.map((at) => entry({ key: { at } }));
        const { errors } = await (request.namespace ? inner : caller).store(entries);
        const from = t.changes.length;
        const { deleted } = await caller.forget(request);
        const what = `a forget of ${HUNDREDS} entries, each by ${way}`;
        expect.equal(
          [errors.length, deleted],
          [0, HUNDREDS],
          `errors of a store, and \`deleted\` of ${what}`,
        );
        const notified = (await reported(t, from + HUNDREDS)).slice(from);
        const once = new Set(notified.map(({ change }) => change.key.at));
        const counts = { reported: notified.length, entries: once.size };
        expect.equal(counts, { reported: HUNDREDS, entries: HUNDREDS }, `changes reported of ${what}`);
      }
    },
  }),
];
