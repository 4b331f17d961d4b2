import { keyHash } from "@membus/protocol";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import type { EntryInput, ForgetInput } from "../../../memory-agent.js";

/** Entries that each match only the criterion named after them. */
const ONE_EACH: readonly Partial<EntryInput>[] = [
  { key: { id: "keys" } },
  { key: { id: "match", kind: "draft" } },
  { key: { id: "tags" }, tags: ["red", "blue"] },
  { key: { id: "tags_mode" }, tags: ["round", "flat"] },
  { key: { id: "group" }, group: "one" },
  { key: { id: "since" }, occurred_at: 9_000_000_000 },
  { key: { id: "until" }, occurred_at: 1_000 },
  { key: { id: "where" }, metadata: { lang: "en" } },
  { key: { id: "of no criterion", kind: "final" }, tags: ["flat"], group: "two", metadata: { lang: "de" } },
];

const CRITERIA: readonly ForgetInput[] = [
  { keys: [{ id: "keys" }] },
  { match: { kind: "draft" } },
  { tags: ["green", "blue"] },
  { tags: ["flat", "round"], tags_mode: "all" },
  { group: "one" },
  { since: 8_000_000_000 },
  { until: 2_000 },
  { where: { field: "metadata.lang", op: "eq", value: "en" } },
];

/** Entries that a forget deletes, and its counts. */
export const forgetSelectionChecks: readonly Check[] = [
  memoryCheck({
    id: "forget/by-key",
    clauses: ["FORGET-1", "CRIT-2"],
    async run({ caller, entry, expect }) {
      const keys = ["a", "b", "c", "d"].map((id) => ({ id, part: 1 }));
      await caller.store(keys.map((key) => entry({ key })));
      const named = [{ part: 1, id: "a" }, { $hash: keyHash(keys[1]!) }];
      const { deleted } = await caller.forget({ keys: named });
      expect.equal(
        deleted,
        2,
        "deleted by a forget of 2 of 4 entries, one by its key and one by its key hash",
      );
      const left = await caller.retrieve({ limit: 100 });
      expect.sameMembers(foundIds(left), ["c", "d"], "entries left after a forget by key of a and b");
    },
  }),
  memoryCheck({
    id: "forget/criteria-are-anded",
    clauses: ["FORGET-1", "CRIT-1"],
    async run({ caller, entry, expect }) {
      const tags = ["red"];
      await caller.store([
        entry({ key: { id: "meets all" }, tags, group: "one" }),
        entry({ key: { id: "other tag" }, tags: ["blue"], group: "one" }),
        entry({ key: { id: "other group" }, tags, group: "two" }),
        entry({ key: { id: "other key" }, tags, group: "one" }),
      ]);
      const keys = ["meets all", "other tag", "other group"].map((id) => ({ id }));
      const { deleted } = await caller.forget({ keys, tags, group: "one" });
      const left = foundIds(await caller.retrieve({ limit: 100 }));
      const others = ["other tag", "other group", "other key"];
      expect.sameMembers(
        left,
        others,
        "entries left after a forget with keys, tags and group of one that meets all",
      );
      expect.equal(deleted, 1, "deleted by a forget with keys, tags and group that one entry meets");
    },
  }),
  memoryCheck({
    id: "forget/heeds-every-criterion",
    clauses: ["FORGET-1"],
    async run({ caller, entry, expect }) {
      await caller.store(ONE_EACH.map((fields) => entry(fields)));
      const ids = ONE_EACH.map(({ key }) => (key as { id: string }).id);
      for (const [at, criteria] of CRITERIA.entries()) {
        const what = `a forget with only ${JSON.stringify(criteria)}, which one entry meets`;
        const { deleted } = await caller.forget(criteria);
        expect.equal(deleted, 1, `deleted by ${what}`);
        const left = foundIds(await caller.retrieve({ limit: 100 }));
        expect.sameMembers(left, ids.slice(at + 1), `entries left after ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "forget/clears-a-tier-of-ones-own",
    clauses: ["FORGET-3", "FORGET-1"],
    tiers: ["working", "episodic"],
    async run({ caller, entry, expect, tier }) {
      await caller.store([entry(), entry({ tags: ["red"] }), entry({ group: "one" })]);
      const { deleted } = await caller.forget({ tier });
      expect.equal(
        deleted,
        3,
        `deleted by a forget that names the tier ${tier} and no criterion, of 3 entries`,
      );
      const { total } = await caller.retrieve();
      expect.equal(total, 0, `total after a forget of the tier ${tier} without criteria`);
    },
  }),
  memoryCheck({
    id: "forget/leaves-other-namespaces",
    clauses: ["FORGET-1", "NS-2"],
    async run({ caller, agent, entry, expect }) {
      const key = { id: "the same key" };
      const others = [agent({ below: "inner" }), agent({ below: "inner/most" })];
      for (const one of [caller, ...others]) await one.store(entry({ key, content: one.namespace }));
      const { deleted } = await caller.forget({ all: true });
      expect.equal(deleted, 1, "deleted by a forget of all of one namespace that holds 1 entry");
      for (const other of others) {
        const { entries } = await other.retrieve();
        const contents = entries.map(({ content }) => content);
        expect.equal(contents, [other.namespace], `contents of a namespace below the one that was forgotten`);
      }
    },
  }),
  memoryCheck({
    id: "forget/dry-run-counts-and-keeps",
    clauses: ["FORGET-2"],
    async run({ caller, entry, expect }) {
      const tags = ["red"];
      await caller.store([entry({ tags }), entry({ tags }), entry()]);
      const dry = await caller.forget({ tags, dry_run: true });
      expect.equal(dry.deleted, 2, "deleted of a dry run that selects 2 of 3 entries");
      const { total } = await caller.retrieve();
      expect.equal(total, 3, "entries that are there after a dry run");
      const real = await caller.forget({ tags });
      expect.equal(real.deleted, 2, "deleted of the same forget after its dry run");
    },
  }),
  memoryCheck({
    id: "forget/deleted-is-what-went",
    clauses: ["FORGET-5", "RET-17"],
    async run({ caller, entry, expect, tier }) {
      const [first, second] = [entry(), entry()];
      await caller.store([first, second, entry()]);
      const keys = [first.key, second.key, first.key, { id: "never stored" }];
      const once = await caller.forget({ keys });
      expect.equal(
        once.deleted,
        2,
        "deleted of a forget that names 2 entries, one of them twice, and an unknown key",
      );
      expect.equal(once.receipt.by_tier, { [tier]: 2 }, "`by_tier` of the receipt of a forget of 2 entries");
      const again = await caller.forget({ keys });
      expect.equal(again.deleted, 0, "deleted of a repeated forget of the same entries");
    },
  }),
];
