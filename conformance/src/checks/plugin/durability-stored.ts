import { isDeepStrictEqual } from "node:util";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { PluginContext } from "../../context.js";
import { inBatches } from "../../fixtures/in-batches.js";
import { LIKE_NAMES, LIKE_TENANTS } from "../../fixtures/like-names.js";
import { BATCH_SIZE, difference, noDifference, numbersOf, storeMany } from "../../fixtures/many-entries.js";
import type { AgentOptions } from "../../memory-agent.js";

/** More entries than a database usually returns in one batch, which is often 8,192. */
const ENTRIES = 8_250;
/** More partitions than a page of a list usually has, and fewer than a read of a subtree may touch. */
const PARTITIONS = 240;
const FORGOTTEN_ONE_OF = 4;

/** Returns which entries of a page have another content than their number, at most 5. */
function wrongContents(entries: readonly { readonly key: object; readonly content: unknown }[]): unknown[] {
  const wrong = entries.filter(({ key, content }) => content !== (key as { at: number }).at);
  return wrong.slice(0, 5).map(({ key, content }) => [key, content]);
}

/** Stores one entry in each place and reopens the plugin. */
async function storeApart(t: PluginContext, places: readonly AgentOptions[]): Promise<void> {
  await inBatches([...places.entries()], async ([at, place]) => {
    await t.agent(place).store(t.entry({ key: "same", content: at, tags: ["apart"] }));
  });
  await t.maintain();
  await t.reopen();
}

/** Expects each place to have its own entry only, and forgets of some places to leave the others alone. */
async function expectApart(t: PluginContext, places: readonly AgentOptions[], kind: string): Promise<void> {
  await storeApart(t, places);
  const what = `of ${places.length} ${kind} of like names, those with other totals or contents than their own`;
  const expectOwn = async (totalOf: (at: number) => number, when: string) => {
    const wrong: unknown[] = [];
    for (const [at, place] of places.entries()) {
      const { entries, total } = await t.agent(place).retrieve();
      const contents = entries.map(({ content }) => content);
      const due = totalOf(at) === 0 ? [] : [at];
      if (total !== due.length || !isDeepStrictEqual(contents, due)) wrong.push({ place, total, contents });
    }
    t.expect.equal(wrong.slice(0, 5), [], `${what}, ${when}`);
  };
  await expectOwn(() => 1, "after maintenance, close and open");
  const totalOf = (at: number) => (at % FORGOTTEN_ONE_OF === 0 ? 0 : 1);
  for (const place of places.filter((_, at) => totalOf(at) === 0)) await t.agent(place).forget({ all: true });
  await t.maintain();
  await t.reopen();
  await expectOwn(totalOf, "after forgets in one of 4 of them, maintenance, close and open");
}

/** Data that has left the memory of a plugin and is read from where it is stored. */
export const durabilityStoredChecks: readonly Check[] = [
  pluginCheck({
    id: "durability/large-partition-survives-reopen",
    clauses: ["PLUG-13", "DUR-1", "RET-3"],
    features: ["durable"],
    async run(t) {
      const { caller, expect } = t;
      const fields = (at: number) => ({ content: at, occurred_at: 20_000 - at });
      const stored = await storeMany(t, caller, ENTRIES, fields);
      await t.maintain();
      await t.reopen();
      const what = `of ${ENTRIES} entries after maintenance, close and open`;
      for (const order of ["newest", "oldest"] as const) {
        const { entries, total } = await caller.retrieve({ order, limit: BATCH_SIZE });
        expect.equal(total, stored.length, `total of a page by ${order}, ${what}`);
        const expected = order === "newest" ? numbersOf(stored) : numbersOf(stored).toReversed();
        const numbers = entries.map(({ key }) => key.at as number);
        const due = expected.slice(0, BATCH_SIZE);
        expect.equal(
          difference(numbers, due),
          noDifference(due.length),
          `numbers of a page by ${order}, ${what}`,
        );
        expect.equal(wrongContents(entries), [], `other contents on a page by ${order}, ${what}`);
      }
    },
  }),
  pluginCheck({
    id: "durability/many-partitions-survive-reopen",
    clauses: ["PLUG-13", "DUR-1", "NS-6", "NS-8"],
    features: ["durable", "subtree"],
    async run(t) {
      const { caller, expect } = t;
      const below = (at: number) => `many/${at}`;
      await storeApart(
        t,
        Array.from({ length: PARTITIONS }, (_, at) => ({ below: below(at) })),
      );
      const namespace = `${caller.namespace}/many/**`;
      const what = `of a subtree of ${PARTITIONS} namespaces after maintenance, close and open`;
      if (t.features.list) {
        const { items } = await caller.list({ namespace });
        expect.equal(items.length, PARTITIONS, `listed namespaces ${what}`);
      }
      const { total } = await caller.retrieve({ namespace, limit: 0 });
      expect.equal(total, PARTITIONS, `total ${what}`);
      await t.reopen();
      const { deleted } = await caller.forget({ namespace, all: true });
      expect.equal(deleted, PARTITIONS, `deleted by a forget ${what}, as the first request`);
      await t.maintain();
      await t.reopen();
      const left = await caller.retrieve({ namespace, limit: 0 });
      expect.equal(left.total, 0, `total ${what} once more, with all forgotten`);
    },
  }),
  pluginCheck({
    id: "durability/namespaces-of-like-names-survive-reopen",
    clauses: ["PLUG-13", "SCOPE-3", "SCOPE-4", "NS-1"],
    features: ["durable"],
    run: (t) =>
      expectApart(
        t,
        LIKE_NAMES.map((below) => ({ below })),
        "namespaces",
      ),
  }),
  pluginCheck({
    id: "durability/agents-of-like-names-survive-reopen",
    clauses: ["PLUG-13", "SCOPE-5", "SCOPE-3"],
    features: ["durable"],
    tiers: ["episodic"],
    run: (t) =>
      expectApart(
        t,
        LIKE_NAMES.map((agent) => ({ named: { agent } })),
        "agents",
      ),
  }),
  pluginCheck({
    id: "durability/tenants-of-like-names-survive-reopen",
    clauses: ["PLUG-13", "SCOPE-5", "SCOPE-4"],
    features: ["durable"],
    run: (t) =>
      expectApart(
        t,
        LIKE_TENANTS.map((tenant) => ({ named: { tenant } })),
        "tenants",
      ),
  }),
];
