import type { MemoryEntry } from "@membus/protocol";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import { foundIds } from "../../fixtures/found-ids.js";
import type { EntryInput, MemoryAgent } from "../../memory-agent.js";

const WHOLE: Partial<EntryInput> = {
  key: { id: "whole", part: 1 },
  content: { text: "a whole entry", list: [1, "two", null, { three: 3.5 }] },
  tags: ["red", "blue"],
  source: "a ship's log",
  metadata: { lang: "en", pages: 3, open: true, names: ["a", "b"] },
  context: "an earlier message",
  group: "one",
  occurred_at: 1_700_000_000.25,
  importance: 0.75,
};

/** Returns the entries without access times and scores, which are not durable. */
async function kept(caller: MemoryAgent): Promise<readonly object[]> {
  const { entries } = await caller.retrieve({ include: ["context"], order: "oldest" });
  return entries.map(({ timestamps, score: _, ...entry }: MemoryEntry) => {
    const { created, updated } = timestamps;
    return { ...entry, created, updated };
  });
}

/** Data that a durable plugin restores after it was closed and opened (clause PLUG-13). */
export const durabilityReopenChecks: readonly Check[] = [
  pluginCheck({
    id: "durability/entries-survive-reopen",
    clauses: ["PLUG-13", "PLUG-3"],
    features: ["durable"],
    async run({ caller, agent, entry, expect, reopen }) {
      await caller.store([entry(WHOLE), entry({ ...WHOLE, key: "plain", content: null })]);
      await agent({ below: "inner" }).store(entry());
      const before = await kept(caller);
      expect.equal(before.length, 2, "entries after a store of 2");
      await reopen();
      expect.equal(await kept(caller), before, "complete entries after close and open, compared with before");
      const inner = await agent({ below: "inner" }).retrieve();
      expect.equal(inner.total, 1, "entries of another namespace after close and open");
    },
  }),
  pluginCheck({
    id: "durability/ends-survive-reopen",
    clauses: ["PLUG-13", "RET-16", "ENTRY-18"],
    features: ["durable", "ttl"],
    async run({ caller, entry, expect, passTime, reopen }) {
      const named = (id: string, ttl: number) => entry({ key: { id }, ttl });
      await caller.store([named("a minute", 60), named("an hour", 3_600), named("a day", 86_400)]);
      const read = async () => {
        const { entries, total } = await caller.retrieve({ order: "oldest" });
        return { total, ends: entries.map(({ key, ttl, expires_at }) => ({ id: key.id, ttl, expires_at })) };
      };
      const before = await read();
      expect.equal(before.total, 3, "entries after stores with a ttl of a minute, an hour and a day");
      await passTime(70);
      await reopen();
      const ends = before.ends.slice(1);
      const what = "entries and their expiry after 70 s, close and open: the hour and the day";
      expect.equal(await read(), { total: 2, ends }, what);
      await passTime(3_600);
      const left = await read();
      const later = "entries and their expiry an hour later: the day";
      expect.equal(left, { total: 1, ends: before.ends.slice(2) }, later);
    },
  }),
  pluginCheck({
    id: "durability/search-survives-reopen",
    clauses: ["PLUG-13", "RET-8"],
    features: ["durable", "full_text"],
    async run({ caller, entry, expect, reopen }) {
      const texts = ["the tide turns at noon", "the tide table of the harbour", "a recipe for bread"];
      await caller.store(texts.map((content) => entry({ content, tags: ["text"] })));
      const ask = async () => {
        const { entries, total } = await caller.retrieve({ query: "harbour tide", tags: ["text"] });
        return { total, found: entries.map(({ key, score }) => ({ key, score })) };
      };
      const before = await ask();
      expect.atLeast(before.found.length, 2, "results of a query that shares words with 2 entries");
      await reopen();
      const after = await ask();
      const near = after.found.map(({ key, score }) => ({ key, score: Number(score.toFixed(6)) }));
      const was = before.found.map(({ key, score }) => ({ key, score: Number(score.toFixed(6)) }));
      expect.equal(near, was, "results and scores of a query after close and open, compared with before");
      expect.equal(after.total, before.total, "total of a query after close and open, compared with before");
    },
  }),
  pluginCheck({
    id: "durability/forgotten-stays-forgotten-after-reopen",
    clauses: ["FORGET-6", "DUR-2", "PLUG-13"],
    features: ["durable"],
    async run({ caller, entry, expect, maintain, reopen }) {
      const named = (id: string) => entry({ key: { id }, tags: ["red"] });
      await caller.store([named("kept"), named("forgotten at once")]);
      await caller.forget({ keys: [{ id: "forgotten at once" }] });
      await caller.store(named("forgotten later"));
      await reopen();
      await caller.forget({ keys: [{ id: "forgotten later" }] });
      await maintain();
      for (const time of ["once more", "twice more"]) {
        await reopen();
        const found = await caller.retrieve({ tags: ["red"] });
        expect.equal(
          foundIds(found),
          ["kept"],
          `entries after close and open, ${time}, with 2 of 3 forgotten before`,
        );
        expect.equal(found.total, 1, `total after close and open, ${time}, with 2 of 3 forgotten before`);
      }
    },
  }),
  pluginCheck({
    id: "durability/updates-survive-reopen",
    clauses: ["PLUG-13", "DUR-2"],
    features: ["durable"],
    async run({ caller, entry, expect, reopen }) {
      const one = entry({ content: "first", metadata: { kept: true } });
      await caller.store(one);
      await reopen();
      const { metadata: _, ...update } = one;
      for (const content of ["second", "third"]) await caller.store({ ...update, content });
      await reopen();
      const { entries } = await caller.retrieve();
      const got = entries.map(({ content, metadata }) => ({ content, metadata }));
      const expected = [{ content: "third", metadata: { kept: true } }];
      expect.equal(got, expected, "the entry of a key that was updated after an open, after the next open");
    },
  }),
  pluginCheck({
    id: "durability/revisions-grow-over-reopen",
    clauses: ["ENTRY-13", "PLUG-13"],
    features: ["durable"],
    async run({ caller, entry, expect, reopen }) {
      const [one, deleted] = [entry(), entry()];
      const revisionOf = async (stored: EntryInput) =>
        (await caller.store(stored)).receipts[0]?.revision ?? 0;
      await revisionOf(deleted);
      const before = [await revisionOf(one), await revisionOf({ ...deleted, content: "again" })];
      await caller.forget({ keys: [deleted.key] });
      await reopen();
      const recreated = await revisionOf(deleted);
      expect.atLeast(
        recreated,
        before[1]! + 1,
        "revision of a key that was forgotten before close and open, stored again after",
      );
      const updated = await revisionOf({ ...one, content: "after" });
      expect.atLeast(updated, before[0]! + 1, "revision of an update after close and open");
      expect.atLeast(before[0]!, 1, "revision of a key before close and open");
    },
  }),
  pluginCheck({
    id: "durability/results-survive-reopen",
    clauses: ["RETRY-4", "PLUG-13", "RETRY-6"],
    features: ["durable"],
    async run({ caller, entry, expect, passTime, reopen }) {
      const [one, deleted] = [entry({ content: "first" }), entry()];
      const stored = await caller.store([one, deleted], { id: "a store" });
      const forgotten = await caller.forget({ keys: [deleted.key], id: "a forget" });
      await caller.store({ ...one, content: "second" });
      await caller.store(deleted);
      await passTime(590);
      await reopen();
      const storedAgain = await caller.store([one, deleted], { id: "a store" });
      expect.equal(storedAgain, stored, "the result of a store that is repeated after 590 s, close and open");
      const forgottenAgain = await caller.forget({ keys: [deleted.key], id: "a forget" });
      expect.equal(
        forgottenAgain,
        forgotten,
        "the result of a forget that is repeated after 590 s, close and open",
      );
      const { entries } = await caller.retrieve({ keys: [one.key, deleted.key] });
      const contents = entries.map(({ content }) => content);
      const what = "contents after a store and a forget were repeated over a reopen: the writes between them";
      expect.sameMembers(contents, ["second", deleted.content], what);
    },
  }),
];
