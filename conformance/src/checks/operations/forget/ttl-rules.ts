import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import type { EntryInput } from "../../../memory-agent.js";

const HOUR = 3_600;
const DAYS = 86_400;

/** Expiry of entries, and reuse of their keys. */
export const ttlRuleChecks: readonly Check[] = [
  memoryCheck({
    id: "ttl/store-after-the-end-creates",
    clauses: ["RET-16", "STORE-8"],
    features: ["ttl"],
    async run({ caller, entry, passTime, expect }) {
      const key = { id: "again" };
      const former: Partial<EntryInput> = { key, ttl: 1, metadata: { old: 1 }, group: "old" };
      const first = await caller.store(entry(former));
      await passTime(2);
      const { receipts } = await caller.store(entry({ key }));
      expect.equal(receipts[0]?.outcome, "created", "outcome of a store over an expired entry");
      const [found] = (await caller.retrieve({ keys: [key] })).entries;
      const { metadata, group, ttl } = found ?? {};
      expect.equal(
        { metadata, group, ttl },
        { ttl: null },
        "fields that a new entry has in common with the expired one of its key",
      );
      const formerRevision = first.receipts[0]?.revision ?? 0;
      expect.atLeast(found?.seq ?? 0, formerRevision + 1, "`seq` of a new entry over an expired one");
    },
  }),
  memoryCheck({
    id: "ttl/compare-and-set-after-the-end",
    clauses: ["RET-16", "UPD-8"],
    features: ["ttl", "conditional"],
    async run({ caller, entry, passTime, expect }) {
      const [one, other] = [entry(), entry()];
      const first = await caller.store([
        { ...one, ttl: 1 },
        { ...other, ttl: 1 },
      ]);
      await passTime(2);
      const stale = await caller.store({ ...one, if_revision: first.receipts[0]?.revision ?? 1 });
      const [error] = stale.errors;
      const got = { code: error?.code, revision: error?.detail.revision };
      const what = "error of a store with the `if_revision` of an expired entry";
      expect.equal(got, { code: "conflict", revision: 0 }, what);
      const recreated = await caller.store({ ...other, if_revision: 0 });
      const outcome = recreated.receipts[0]?.outcome;
      expect.equal(outcome, "created", "outcome of a store with `if_revision` 0 over an expired entry");
    },
  }),
  memoryCheck({
    id: "ttl/none-means-no-end",
    clauses: ["ENTRY-4"],
    features: ["ttl"],
    async run({ caller, entry, passTime, expect }) {
      await caller.store([
        entry({ key: { id: "null" }, ttl: null }),
        entry({ key: { id: "zero" }, ttl: 0 }),
        entry({ key: { id: "absent" } }),
        entry({ key: { id: "a second" }, ttl: 1 }),
      ]);
      await passTime(2);
      const found = foundIds(await caller.retrieve({ order: "oldest" }));
      expect.sameMembers(
        found,
        ["null", "zero", "absent"],
        "entries 2 s after stores with ttl null, 0, none and 1",
      );
    },
  }),
  memoryCheck({
    id: "ttl/expires-at-is-stronger",
    clauses: ["ENTRY-5", "RET-16"],
    features: ["ttl"],
    async run({ caller, entry, passTime, now, expect }) {
      await caller.store([
        entry({ key: { id: "ttl longer" }, ttl: HOUR, expires_at: now() + 1 }),
        entry({ key: { id: "ttl shorter" }, ttl: 1, expires_at: now() + HOUR }),
        entry({ key: { id: "no ttl" }, expires_at: now() + 1 }),
      ]);
      await passTime(2);
      const found = foundIds(await caller.retrieve());
      const what =
        "entries left after 2 s: one with ttl 3600 and `expires_at` in 1 s, one reversed, one without ttl";
      expect.equal(found, ["ttl shorter"], what);
    },
  }),
  memoryCheck({
    id: "ttl/reading-does-not-prolong",
    clauses: ["ENTRY-4", "RET-16"],
    features: ["ttl"],
    async run({ caller, entry, passTime, expect }) {
      const [short, long] = [entry({ ttl: 1 }), entry({ ttl: HOUR })];
      await caller.store([short, long]);
      await passTime(0.6);
      await caller.retrieve({ keys: [short.key, long.key] });
      await passTime(0.9);
      const { entries } = await caller.retrieve();
      const keys = entries.map(({ key }) => key);
      expect.equal(keys, [long.key], "keys left 1.5 s after a store with ttl 1 and a read after 0.6 s");
    },
  }),
  pluginCheck({
    id: "ttl/time-is-the-given-clock",
    clauses: ["PLUG-9"],
    features: ["ttl"],
    async run({ caller, entry, passTime, expect }) {
      await passTime(40 * DAYS);
      await caller.store([
        entry({ key: { id: "an hour" }, ttl: HOUR }),
        entry({ key: { id: "two hours" }, ttl: 2 * HOUR }),
      ]);
      const all = foundIds(await caller.retrieve());
      expect.sameMembers(
        all,
        ["an hour", "two hours"],
        "entries right after a store, with the injected clock 40 days ahead",
      );
      await passTime(1.5 * HOUR);
      const left = foundIds(await caller.retrieve());
      expect.equal(
        left,
        ["two hours"],
        "entries 1.5 hours of the injected clock after stores with a ttl of 1 and 2 hours",
      );
    },
  }),
  pluginCheck({
    id: "ttl/a-durable-entry-has-no-hidden-end",
    clauses: ["ENTRY-4"],
    tiers: ["episodic", "semantic"],
    async run({ caller, entry, passTime, maintain, expect }) {
      const one = entry();
      await caller.store(one);
      await passTime(400 * DAYS);
      await maintain();
      const { entries } = await caller.retrieve();
      expect.equal(
        entries.map(({ key }) => key),
        [one.key],
        "keys 400 days after a store without ttl",
      );
    },
  }),
];
