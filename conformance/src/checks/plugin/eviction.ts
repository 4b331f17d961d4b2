import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { PluginContext } from "../../context.js";
import type { EntryInput, MemoryAgent } from "../../memory-agent.js";

/** Number of entries in one partition that must trigger eviction, so that a run can test it. */
const ENTRIES_MAX = 150_000;
/** Enough evictions to determine their order. */
const EVICTED_MIN = 10;
const NEEDS = `a tier that evicts by ${ENTRIES_MAX} small entries of one partition: set a lower limit for the run`;

/** Returns small batches at first, so that the limit of a small tier is approached closely. */
function batchSize(storedCount: number): number {
  return Math.min(1_000, Math.max(5, Math.floor(storedCount / 4)));
}

/**
 * Stores batches, each followed by `between`, until entries of the agent are evicted. Returns the batches.
 */
async function fill(
  { entry, expect }: PluginContext,
  agent: MemoryAgent,
  between: () => Promise<unknown>,
): Promise<readonly EntryInput[][]> {
  const { total: before } = await agent.retrieve({ limit: 0 });
  const batches: EntryInput[][] = [];
  for (let count = 0; count < ENTRIES_MAX; ) {
    const batch = Array.from({ length: batchSize(count) }, () => entry());
    const { errors } = await agent.store(batch);
    expect.equal(errors, [], "errors of a store in a tier that evicts");
    batches.push(batch);
    count += batch.length;
    await between();
    const { total } = await agent.retrieve({ limit: 0 });
    if (before + count - total >= EVICTED_MIN) return batches;
  }
  expect.precondition(false, NEEDS);
  return batches;
}

/** Returns the keys of the missing entries. */
async function missing(agent: MemoryAgent, entries: readonly EntryInput[]): Promise<unknown[]> {
  const deleted: unknown[] = [];
  for (let from = 0; from < entries.length; from += 1_000) {
    const keys = entries.slice(from, from + 1_000).map(({ key }) => key);
    const found = new Set((await agent.retrieve({ keys })).entries.map(({ key }) => key.entry));
    deleted.push(...keys.filter((key) => !found.has((key as { entry: number }).entry)));
  }
  return deleted;
}

const nothing = async () => {};

/** Eviction in a full tier that declares `eviction`. */
export const evictionChecks: readonly Check[] = [
  pluginCheck({
    id: "eviction/oldest-go-first",
    clauses: ["PLUG-3", "STORE-14"],
    features: ["eviction"],
    async run(t) {
      const batches = await fill(t, t.caller, nothing);
      const { total } = await t.caller.retrieve({ limit: 0 });
      const evicted = batches.flat().length - total;
      const oldest: EntryInput[] = [];
      for (const batch of batches) if (oldest.length < evicted) oldest.push(...batch);
      const deleted = await missing(t.caller, oldest);
      const what = `of ${evicted} evicted entries, the number among the oldest ${oldest.length}, without later use`;
      t.expect.equal(deleted.length, evicted, what);
      const newest = await missing(t.caller, batches.at(-1)!);
      t.expect.equal(newest, [], "keys of the newest entries that are missing after older ones were evicted");
    },
  }),
  pluginCheck({
    id: "eviction/use-keeps",
    clauses: ["PLUG-3"],
    features: ["eviction"],
    async run(t) {
      const { caller, entry, expect } = t;
      const [idle, read, written, same] = [entry(), entry(), entry(), entry()];
      for (const one of [read, written, same, idle]) await caller.store(one);
      let round = 0;
      await fill(t, caller, async () => {
        const found = await caller.retrieve({ keys: [read.key] });
        expect.equal(found.total, 1, "total by key of an old entry that is read after every batch");
        const updated = await caller.store({ ...written, content: `round ${++round}` });
        const outcomeOf = ({ receipts }: typeof updated) => receipts[0]?.outcome;
        expect.equal(
          outcomeOf(updated),
          "updated",
          "outcome of an update of an old entry that is updated after every batch",
        );
        const unchanged = await caller.store(same);
        expect.equal(
          outcomeOf(unchanged),
          "unchanged",
          "outcome of a store of an old entry that is stored after every batch",
        );
      });
      const deleted = await missing(caller, [idle, read, written, same]);
      const what =
        "missing keys of an unused entry, and of older ones that were read, updated and stored again";
      expect.equal(deleted, [idle.key], what);
    },
  }),
  pluginCheck({
    id: "eviction/evicted-is-reported",
    clauses: ["PLUG-11"],
    features: ["eviction"],
    async run(t) {
      const batches = await fill(t, t.caller, nothing);
      const { total } = await t.caller.retrieve({ limit: 0 });
      const evicted = t.changes.filter(({ change }) => change.action === "evicted");
      const reported = new Set(evicted.map(({ change }) => change.key.entry));
      const count = batches.flat().length - total;
      t.expect.equal(
        evicted.length,
        count,
        `changes with the action \`evicted\` when ${count} entries are evicted`,
      );
      t.expect.equal(
        reported.size,
        count,
        `keys in the changes with the action \`evicted\` when ${count} entries are`,
      );
      const deleted = await missing(
        t.caller,
        batches.flat().filter(({ key }) => reported.has((key as { entry: number }).entry)),
      );
      t.expect.equal(deleted.length, count, "keys that are reported as evicted and are missing");
      const authors = new Set(evicted.map(({ change, agent }) => `${change.author} ${agent}`));
      const { agent } = t.caller;
      t.expect.equal(
        [...authors],
        [`${agent} ${agent}`],
        "author, and agent, of the changes with the action `evicted`",
      );
    },
  }),
  pluginCheck({
    id: "eviction/each-partition-for-itself",
    clauses: ["SCOPE-1"],
    features: ["eviction"],
    async run(t) {
      const own = Array.from({ length: 5 }, () => t.entry());
      await t.caller.store(own);
      const other = t.agent({ below: "other", ...(t.tier !== "semantic" && { agent: "second" as const }) });
      await fill(t, other, nothing);
      const deleted = await missing(t.caller, own);
      t.expect.equal(
        deleted,
        [],
        "keys of 5 entries that are missing after another partition was filled until it evicted",
      );
    },
  }),
];
