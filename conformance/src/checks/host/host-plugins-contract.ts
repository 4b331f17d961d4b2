import { keyHash, MemoryError, scopeOf } from "@membus/protocol";
import type { PluginRetrieveResult, PluginStoreResult } from "@membus/protocol/plugin";
import { type Check, hostCheck } from "../../catalogue/check.js";
import { entryRefused, refused, request } from "../../fixtures/bare-messages.js";
import { ofAction, subjectOf, watchEvents } from "../../fixtures/event-watch.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";

type Page = PluginRetrieveResult;
type Entry = Page["entries"][number];

const first = ({ entries }: Page): Entry => entries[0]!;

/** Errors in a page of two entries, for a retrieve with limit 2, tag `a` and a minimum score of 0.5. */
const BROKEN_PAGES: Readonly<Record<string, (page: Page) => unknown>> = {
  "more entries than the limit": (page) => ({ ...page, entries: [...page.entries, older(page)], total: 3 }),
  "an entry twice": (page) => ({ ...page, entries: [first(page), first(page)] }),
  "the entries in another order": (page) => ({ ...page, entries: page.entries.toReversed() }),
  "an entry of another namespace": (page) => changed(page, { namespace: "elsewhere" }),
  "an entry of another tier": (page) => changed(page, { tier: "semantic" }),
  "an entry without the requested tag": (page) => changed(page, { tags: ["b"] }),
  "an entry below the lowest score": (page) => changed(page, { score: 0.25 }),
  "an entry with the key hash of another key": (page) => changed(page, { key_hash: keyHash("another") }),
  "an entry without a revision": (page) => changed(page, { revision: undefined }),
  "a context that was not requested": (page) => changed(page, { context: "published before" }),
  "a page cut before its first entry": (page) => ({ ...page, entries: [], cut: true }),
  "a total below the number of entries": (page) => ({ ...page, total: 1 }),
  "an undeclared `approximate`": (page) => ({ ...page, total_relation: "gte", approximate: true }),
  "no total_relation": ({ total_relation: _, ...page }) => page,
  "no list of entries": (page) => ({ ...page, entries: undefined }),
  nothing: () => undefined,
};

function changed(page: Page, fields: Readonly<Record<string, unknown>>): unknown {
  return { ...page, entries: [{ ...first(page), ...fields }, ...page.entries.slice(1)] };
}

/** Returns another entry that would be next on a larger page. */
function older(page: Page): Entry {
  const { key: _, ...fields } = page.entries.at(-1)!;
  const [key, seq] = [{ name: "third" }, 1];
  return { ...fields, key, key_hash: keyHash(key), occurred_at: 1, seq };
}

const BROKEN_STORES: Readonly<Record<string, (result: PluginStoreResult) => unknown>> = {
  "no receipt for the second entry": ({ receipts, errors }) => ({ receipts: receipts.slice(0, 1), errors }),
  "two receipts for the first entry": ({ receipts, errors }) => ({
    receipts: [...receipts, receipts[0]],
    errors,
  }),
  "a receipt and an error for the first entry": ({ receipts }) => ({
    receipts,
    errors: [{ index: 0, error: new MemoryError("memory_full", "full") }],
  }),
  "a receipt for an entry that was not sent": ({ receipts, errors }) => ({
    receipts: [receipts[0], { ...receipts[1], index: 7 }],
    errors,
  }),
  "a receipt with the key hash of another key": ({ receipts, errors }) => ({
    receipts: [receipts[0], { ...receipts[1], key_hash: keyHash("another") }],
    errors,
  }),
  "a receipt with an unknown outcome": ({ receipts, errors }) => ({
    receipts: [receipts[0], { ...receipts[1], outcome: "merged" }],
    errors,
  }),
  "an error that is a text": ({ receipts }) => ({
    receipts: receipts.slice(0, 1),
    errors: [{ index: 1, error: "full" }],
  }),
  nothing: () => undefined,
};

const BROKEN_FORGETS: Readonly<Record<string, unknown>> = {
  "a count below 0": { deleted: -1, purge: "done" },
  "a count with a fraction": { deleted: 0.5, purge: "done" },
  "no count": { purge: "done" },
  "an unknown state of the purge": { deleted: 1, purge: "later" },
  nothing: undefined,
};

const resultChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/pages-are-checked",
    clauses: ["PLUG-12"],
    provisions: ["own_plugins"],
    async run(t) {
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      await own.caller.store([own.entry({ tags: ["a"] }), own.entry({ tags: ["a"] })]);
      const asked = { limit: 2, tags: ["a"], min_score: 0.5 };
      const sound = await own.caller.retrieve(asked);
      t.expect.equal(
        sound.entries.length,
        2,
        "entries of a retrieve after the plugin returned a valid page of 2",
      );
      for (const [name, broken] of Object.entries(BROKEN_PAGES)) {
        plugin.script = { onRetrieve: async (usual) => broken(await usual()) as Page };
        await t.expect.refused(
          own.caller.retrieve(asked),
          "runtime_error",
          `a retrieve with limit 2, tag a and min_score 0.5 after the plugin returned ${name}`,
        );
      }
    },
  }),
  hostCheck({
    id: "host-plugins/receipts-are-checked",
    clauses: ["PLUG-12"],
    provisions: ["own_plugins"],
    async run(t) {
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      for (const [name, broken] of Object.entries(BROKEN_STORES)) {
        plugin.script = { onStore: async (usual) => broken(await usual()) as PluginStoreResult };
        const { stored, errors } = await own.caller.store([own.entry(), own.entry()]);
        t.expect.equal(
          { stored, codes: errors.map(({ code }) => code) },
          { stored: [], codes: ["runtime_error", "runtime_error"] },
          `\`stored\` and codes of the errors of a store of 2 entries after the plugin returned ${name}`,
        );
      }
    },
  }),
  hostCheck({
    id: "host-plugins/forget-results-are-checked",
    clauses: ["PLUG-12"],
    provisions: ["own_plugins"],
    async run(t) {
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      for (const [name, broken] of Object.entries(BROKEN_FORGETS)) {
        plugin.script = { onForget: async () => broken as never };
        const what = `a forget after the plugin returned ${name}`;
        await t.expect.refused(own.caller.forget({ tags: ["a"] }), "runtime_error", what);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/expired-entries-of-a-plugin-are-not-returned",
    clauses: ["RET-16"],
    provisions: ["own_plugins"],
    async run(t) {
      const own = await t.startHost({ plugins: { working: new ScriptedPlugin() } });
      const [short, long] = [own.entry({ ttl: 1 }), own.entry({ ttl: 3_600 })];
      await own.caller.store([short, long]);
      const before = await own.caller.retrieve();
      await own.passTime(2);
      const after = await own.caller.retrieve();
      const keysOf = ({ entries }: typeof after) => entries.map(({ key }) => key);
      t.expect.sameMembers(
        keysOf(before),
        [short.key, long.key],
        "keys of the entries before either has expired",
      );
      t.expect.equal(
        keysOf(after),
        [long.key],
        "keys of the entries after one has expired and the plugin still returns it",
      );
    },
  }),
];

const requestChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/store-is-of-one-partition-and-no-key-twice",
    clauses: ["PLUG-16"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const [working, semantic] = [new ScriptedPlugin(), new ScriptedPlugin()];
      const own = await t.startHost({ plugins: { working, semantic } });
      const agent = own.agent({ session: "s", below: "deep" });
      await agent.store([
        { key: { name: "a" }, content: 1, tier: "working" },
        { key: "b", content: 2, tier: "working" },
        { key: "a", content: 3, tier: "semantic" },
        { key: "a", content: 4, tier: "working" },
      ]);
      const caller = { tenant: agent.tenant, agent: agent.agent, session: "s" };
      for (const [plugin, tier, contents] of [
        [working, "working", [2, 4]],
        [semantic, "semantic", [3]],
      ] as const) {
        const what = `\`onStore\` of the ${tier} tier for a store with a key twice and another tier between`;
        expect.equal(plugin.stores.length, 1, `calls of ${what}`);
        const { scope, request } = plugin.stores[0]!;
        expect.equal(scope, scopeOf(tier, caller, agent.namespace), `scope of ${what}`);
        const items = request.entries.map(({ index, key, key_hash }) => ({ index, key, key_hash }));
        const expected = contents.map((content) => {
          const key = { name: content === 2 ? "b" : "a" };
          return { index: content - 1, key, key_hash: keyHash(key) };
        });
        expect.sameMembers(items, expected, `index, key and key hash of the entries in ${what}`);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/undeclared-feature-is-refused",
    clauses: ["PLUG-4", "ENV-12"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const plugin = new ScriptedPlugin({});
      const own = await t.startHost({ plugins: { working: plugin } });
      for (const fields of [{ ttl: 5 }, { if_revision: 0 }]) {
        const what = `${JSON.stringify(fields)} for a tier that declares no feature`;
        await entryRefused(own, what, request(own, "store", { entries: [own.entry(fields)] }), "unsupported");
      }
      const { namespace } = own.caller;
      for (const [operation, fields] of [
        ["retrieve", { query: "tea", mode: "vector" }],
        ["retrieve", { query: "tea", mode: "text" }],
        ["retrieve", { namespace: `${namespace}/**` }],
        ["forget", { namespace: `${namespace}/**`, tags: ["a"] }],
        ["forget", { requires: ["durable"], tags: ["a"] }],
        ["store", { requires: ["durable"], entries: [own.entry()] }],
      ] as const) {
        const what = `a ${operation} with ${JSON.stringify(fields)} of a tier that declares no feature`;
        const sent = request(own, operation, {
          ...(operation !== "store" && { tier: "working" }),
          ...fields,
        });
        await refused(own, what, operation, sent, "unsupported");
      }
      expect.equal(
        plugin.log.filter((call) => /^on(Store|Retrieve|Forget)$/.test(call)),
        [],
        "calls of `onStore`, `onRetrieve` and `onForget` for requests that need undeclared features",
      );
    },
  }),
];

const notifyChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/notified-change-is-an-event",
    clauses: ["EVENT-3", "EVENT-4"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      const watch = await watchEvents(own);
      const [caller, second] = [own.caller, own.agent({ agent: "second" })];
      const { key } = watch.entry("a");
      const scope = scopeOf("working", { ...caller, session: "" }, caller.namespace);
      const of = { scope, key: key as { id: string }, key_hash: keyHash(key as { id: string }) };
      const change = { ...of, tags: ["t"], revision: 7, author: caller.agent };
      const notify = plugin.services?.notify ?? (() => undefined);
      expect.holds(
        plugin.services !== undefined,
        "arguments of `open` before its host had started",
        plugin.services,
      );
      notify({ ...change, action: "evicted" }, caller.agent);
      notify({ ...change, action: "expired" }, caller.agent);
      notify({ ...change, action: "forgotten" }, second.agent);
      const reported = await watch.reported(3);
      for (const [action, agent] of [
        ["evicted", caller],
        ["expired", caller],
        ["forgotten", second],
      ] as const) {
        const what = `after a plugin notified that an entry was ${action}`;
        const events = ofAction(reported, action);
        expect.equal(
          events.map(({ subject }) => subject),
          [subjectOf(own, agent, action)],
          `subjects of the events ${what}`,
        );
        const { key_hash, tags, revision, author, tier, namespace } = events[0]!.event;
        const published = { key_hash, tags, revision, author, tier, namespace };
        const { namespace: its, tier: own_tier } = scope;
        const expected = { key_hash: of.key_hash, tags: ["t"], revision: 7, author: caller.agent };
        expect.equal(
          published,
          { ...expected, tier: own_tier, namespace: its },
          `fields of the event ${what}`,
        );
      }
    },
  }),
];

export const contractChecks: readonly Check[] = [...resultChecks, ...requestChecks, ...notifyChecks];
