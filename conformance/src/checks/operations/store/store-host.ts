import { TIERS } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../../catalogue/check.js";
import { accepted, listOf, refused, request, storedEntries } from "../../../fixtures/bare-messages.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";

const indexOf = ({ index }: { readonly index?: unknown }) => index;

export const storeHostChecks: readonly Check[] = [
  hostTierCheck({
    id: "store/refused-entries-leave-the-others",
    clauses: ["STORE-2", "STORE-4", "STORE-7"],
    async run(t) {
      const { content: _, ...contentless } = t.entry();
      const good = [t.entry(), t.entry(), t.entry()];
      const entries = [contentless, good[0], { ...t.entry(), key: {} }, good[1], "no entry", good[2]];
      const what = "a store of 6 entries, with the first, third and fifth invalid";
      const reply = await accepted(t, what, "store", request(t, "store", { entries }));
      t.expect.equal(listOf(reply.receipts).map(indexOf), [1, 3, 5], `indexes of the receipts of ${what}`);
      t.expect.equal(
        listOf(reply.errors).map(({ index, code }) => [index, code]),
        [0, 2, 4].map((index) => [index, "schema_violation"]),
        `indexes and codes of the errors of ${what}`,
      );
      const keys = good.map(({ key }) => key);
      t.expect.equal(reply.stored, keys, `\`stored\` of ${what}`);
      const found = (await storedEntries(t)).map(({ key, content }) => [key, content]);
      t.expect.sameMembers(
        found,
        good.map(({ key, content }) => [key, content]),
        `keys and contents of the entries after ${what}`,
      );
    },
  }),
  hostTierCheck({
    id: "store/last-of-equal-keys-is-stored",
    clauses: ["STORE-3", "STORE-7"],
    async run(t) {
      const key = "twice";
      const other = t.entry();
      const { content: _, ...contentless } = t.entry({ key });
      const entries = [
        t.entry({ key, content: "first" }),
        other,
        t.entry({ key: { name: key }, content: "second" }),
        t.entry({ key, content: "third, the last valid one" }),
        contentless,
      ];
      const what = "a store of a key four times, the last without content, and of another key";
      const reply = await accepted(t, what, "store", request(t, "store", { entries }));
      t.expect.equal(listOf(reply.receipts).map(indexOf), [1, 3], `indexes of the receipts of ${what}`);
      t.expect.equal(
        listOf(reply.errors).map(({ index, code }) => [index, code]),
        [
          [0, "conflict"],
          [2, "conflict"],
          [4, "schema_violation"],
        ],
        `indexes and codes of the errors of ${what}`,
      );
      const read = await readEntry(t.caller, key);
      t.expect.equal(read?.content, "third, the last valid one", `content of the key after ${what}`);
      t.expect.equal(
        read?.seq,
        read?.revision,
        "seq of that entry, its revision: the earlier ones were not stored",
      );
    },
  }),
  hostCheck({
    id: "store/a-key-in-every-tier",
    clauses: ["STORE-3", "STORE-2"],
    async run({ tiers, caller, entry, expect }) {
      const key = { same: "in every tier" };
      const batch = tiers.map((tier) => entry({ key, tier, content: `in ${tier}` }));
      const { receipts, errors } = await caller.store(batch);
      const what = `a store of one key in each of the tiers ${tiers.join(", ")}`;
      expect.equal(errors, [], `errors of ${what}`);
      expect.equal(receipts.map(indexOf), [...tiers.keys()], `indexes of the receipts of ${what}`);
      const { entries } = await caller.retrieve({ tier: null });
      expect.sameMembers(
        entries.map(({ tier, content }) => [tier, content]),
        tiers.map((tier) => [tier, `in ${tier}`]),
        `tiers and contents found in all tiers after ${what}`,
      );
    },
  }),
  hostTierCheck({
    id: "store/no-entries-are-refused",
    clauses: ["STORE-1"],
    async run(t) {
      await refused(
        t,
        "a store of an empty list",
        "store",
        request(t, "store", { entries: [] }),
        "schema_violation",
      );
      await refused(t, "a store without `entries`", "store", request(t, "store"), "schema_violation");
      const entries = t.entry();
      await refused(
        t,
        "a store of an entry outside of a list",
        "store",
        request(t, "store", { entries }),
        "schema_violation",
      );
      t.expect.equal(await storedEntries(t), [], "entries after stores without entries");
    },
  }),
  hostTierCheck({
    id: "store/subtree-is-refused",
    clauses: ["NS-7"],
    async run(t) {
      const namespace = `${t.caller.namespace}/**`;
      const store = request(t, "store", { namespace, entries: [t.entry()] });
      await refused(t, "a store in a subtree", "store", store, "schema_violation");
      const { total } = await t.caller.retrieve();
      t.expect.equal(total, 0, "entries in the root of a subtree after a store that names it");
    },
  }),
  hostCheck({
    id: "store/unknown-tier-is-refused",
    clauses: ["STORE-11"],
    async run(t) {
      const unserved = TIERS.filter((tier) => !t.tiers.includes(tier));
      for (const tier of ["procedural", "Working", ...unserved]) {
        const store = request(t, "store", { entries: [t.entry({ tier: tier as never })] });
        const what = `a store of an entry for the tier ${tier}`;
        const { errors } = await accepted(t, what, "store", store);
        const codes = listOf(errors).map(({ code }) => code);
        const isRefused =
          codes.length === 1 && ["unsupported", "schema_violation"].includes(String(codes[0]));
        t.expect.holds(
          isRefused,
          `codes of the errors of ${what}`,
          codes,
          "one unsupported or schema_violation",
        );
      }
      const { total } = await t.caller.retrieve({ tier: null });
      t.expect.equal(total, 0, "entries in all tiers after stores for tiers that the host does not serve");
    },
  }),
  hostCheck({
    id: "store/tier-that-is-not-served-is-unsupported",
    clauses: ["STORE-11"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const { caller, entry } = await startHost({ plugins: { working: new ScriptedPlugin() } });
      const [first, refusedOne, last] = [entry(), entry({ tier: "semantic" }), entry()];
      const { errors, receipts } = await caller.store([first, refusedOne, last]);
      const what =
        "a store of 3 entries on a host that serves only the working tier, the second being semantic";
      expect.equal(
        errors.map(({ index, code }) => [index, code]),
        [[1, "unsupported"]],
        `indexes and codes of the errors of ${what}`,
      );
      expect.equal(receipts.map(indexOf), [0, 2], `indexes of the receipts of ${what}`);
      const { entries } = await caller.retrieve({ tier: null });
      expect.sameMembers(
        entries.map(({ key }) => key),
        [first.key, last.key],
        `keys found after ${what}`,
      );
    },
  }),
];
