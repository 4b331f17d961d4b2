import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { derivedEntries, idsLeft } from "../../../fixtures/derived-entries.js";

/** Sources with the same key that belong to others. */
export const cascadeOwnerChecks: readonly Check[] = [
  memoryCheck({
    id: "cascade/sources-of-others-do-not-count",
    clauses: ["CASC-3", "CASC-1"],
    features: ["sources", "cascade"],
    provisions: ["second_tenant"],
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const inner = t.agent({ below: "inner" });
      const tenant = t.agent({ tenant: "second" });
      const other = t.agent({ agent: "second", below: "elsewhere" });
      await tenant.store([derived("of a tenant"), derived("theirs", ["root"])]);
      await other.store([derived("of an agent"), derived("by another", ["root"])]);
      await inner.store([derived("of mine"), derived("mine", ["root", "of mine"])]);
      await t.caller.store([
        derived("root"),
        derived("tenant", ["root", "of a tenant"]),
        derived("agent", ["of an agent", "root"]),
        derived("missing", ["root", "of no entry"]),
        derived("below", ["tenant", "agent"]),
      ]);
      const isShared = t.tier === "semantic";
      const dry = await t.caller.forget({ keys: [key("root")], cascade: true, dry_run: true });
      const { receipt } = await t.caller.forget({ keys: [key("root")], cascade: true });
      const what = "of a cascade over entries with sources that only another tenant or another agent has";
      t.expect.equal(receipt.cascaded, isShared ? [2] : [3, 1], `\`cascaded\` ${what}`);
      t.expect.equal(dry.receipt.cascaded, receipt.cascaded, `\`cascaded\` of a dry run ${what}`);
      const left = isShared ? ["agent", "below"] : [];
      t.expect.equal(await idsLeft(t.caller), left, `ids that the caller has left ${what}`);
      t.expect.equal(
        await idsLeft(inner),
        ["mine", "of mine"],
        `ids of the caller in another namespace ${what}`,
      );
      t.expect.equal(await idsLeft(other), ["by another", "of an agent"], `ids of the other agent ${what}`);
      t.expect.equal(await idsLeft(tenant), ["of a tenant", "theirs"], `ids of the other tenant ${what}`);
    },
  }),
  memoryCheck({
    id: "cascade/expired-sources-are-not-left",
    clauses: ["CASC-1", "CASC-5", "RET-16"],
    features: ["sources", "cascade", "ttl"],
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const inner = t.agent({ below: "inner" });
      const ending = (id: string, from: readonly string[] = []) => ({ ...derived(id, from), ttl: 1 });
      await inner.store([ending("near end"), ending("gone", ["root"])]);
      await t.caller.store([
        derived("root"),
        derived("kept"),
        derived("was kept", ["root", "near end"]),
        derived("is kept", ["root", "near end", "kept"]),
        derived("of gone", ["gone"]),
        ending("link", ["root"]),
        derived("behind the link", ["link"]),
      ]);
      await t.passTime(2);
      const { deleted, receipt } = await t.caller.forget({ keys: [key("root")], cascade: true });
      const what = "of a cascade over entries with sources that have expired, and over expired entries";
      t.expect.equal([deleted, receipt.cascaded], [2, [1]], `\`deleted\` and \`cascaded\` ${what}`);
      const left = ["behind the link", "is kept", "kept", "of gone"];
      t.expect.equal(await idsLeft(t.caller), left, `ids left ${what}`);
    },
  }),
];
