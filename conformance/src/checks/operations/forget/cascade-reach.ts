import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { derivedEntries, idsLeft } from "../../../fixtures/derived-entries.js";
import { inBatches } from "../../../fixtures/in-batches.js";

const features = ["sources", "cascade"] as const;
const LEVELS_MAX = 16;

/** Reach of a cascade: authors, partitions, levels and number of entries. */
export const cascadeReachChecks: readonly Check[] = [
  memoryCheck({
    id: "cascade/leaves-what-other-agents-wrote",
    clauses: ["CASC-3"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const [far, other] = [t.agent({ below: "inner" }), t.agent({ agent: "second" })];
      const otherFar = t.agent({ agent: "second", below: "inner" });
      await t.caller.store([derived("root"), derived("mine", ["root"])]);
      await other.store([derived("theirs", ["root"]), derived("of mine", ["mine"])]);
      await otherFar.store(derived("far theirs", ["root"]));
      await far.store([derived("far mine", ["root"]), derived("of theirs", ["theirs"])]);
      const { receipt } = await t.caller.forget({ keys: [key("root")], cascade: true });
      const what = "with entries of another agent derived from the same source";
      t.expect.equal(receipt.cascaded, [2], `\`cascaded\` ${what}`);
      const isShared = t.tier === "semantic";
      const near = ["of mine", "theirs"];
      t.expect.equal(await idsLeft(other), near, `ids that the other has left ${what}`);
      t.expect.equal(await idsLeft(t.caller), isShared ? near : [], `ids that the caller has left ${what}`);
      const both = ["far theirs", "of theirs"];
      const [ofOther, ofCaller] = isShared ? [both, both] : [["far theirs"], ["of theirs"]];
      t.expect.equal(await idsLeft(otherFar), ofOther, `ids of the other in another namespace, ${what}`);
      t.expect.equal(await idsLeft(far), ofCaller, `ids of the caller in another namespace, ${what}`);
    },
  }),
  memoryCheck({
    id: "cascade/stays-in-its-session",
    clauses: ["CASC-3"],
    features,
    tiers: ["working"],
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const other = t.agent({ session: "another" });
      await t.caller.store([derived("root"), derived("here", ["root", "there"])]);
      await other.store([derived("there"), derived("other", ["root"])]);
      await t.caller.forget({ keys: [key("root")], cascade: true });
      const what = "ids left in the session of a cascade over entries with a source in another session";
      t.expect.equal(await idsLeft(t.caller), [], what);
      t.expect.equal(await idsLeft(other), ["other", "there"], "ids left in another session");
    },
  }),
  memoryCheck({
    id: "cascade/reaches-every-namespace",
    clauses: ["CASC-4"],
    features,
    // Other checks read all namespaces, and one request covers a limited number of them.
    turn: "alone",
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const names = Array.from({ length: 260 }, (_, at) => `${t.caller.namespace}/${at % 3}/${at}`);
      await t.caller.store(derived("root"));
      await inBatches([...names.entries()], ([at, namespace]) =>
        t.caller.store(derived(at, [at % 2 === 0 ? "root" : at - 1]), { namespace }),
      );
      const request = { keys: [key("root")], cascade: true, deadline_ms: 14_000 };
      const { deleted, receipt } = await t.caller.forget(request);
      const what = "of a cascade over 260 namespaces with an entry each";
      t.expect.equal([deleted, receipt.cascaded], [261, [130, 130]], `\`deleted\` and \`cascaded\` ${what}`);
      for (const namespace of [names[0]!, names[129]!, names[259]!]) {
        const { total } = await t.caller.retrieve({ namespace });
        t.expect.equal(total, 0, `total of ${namespace.slice(t.caller.namespace.length + 1)} ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "cascade/takes-many-at-once",
    clauses: ["CASC-1", "CASC-5"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const many = (first: number, count: number, source: (at: number) => string | number) =>
        Array.from({ length: count }, (_, at) => derived(first + at, [source(first + at)]));
      await t.caller.store([derived("root"), derived("other"), ...many(0, 750, () => "root")]);
      await t.caller.store(many(750, 750, (at) => at - 750));
      const request = { keys: [key("root")], cascade: true, deadline_ms: 14_000 };
      const { deleted, receipt } = await t.caller.forget(request);
      const what = "of a cascade that takes 1,500 derived entries";
      t.expect.equal(
        [deleted, receipt.cascaded],
        [1_501, [750, 750]],
        `\`deleted\` and \`cascaded\` ${what}`,
      );
      t.expect.equal(await idsLeft(t.caller), ["other"], `ids left ${what}`);
    },
  }),
  memoryCheck({
    id: "cascade/too-deep-takes-nothing",
    clauses: ["CASC-6"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const levels = Array.from({ length: LEVELS_MAX + 2 }, (_, at) => derived(at, at > 0 ? [at - 1] : []));
      await t.caller.store(levels);
      const asked = t.caller.forget({ keys: [key(0)], cascade: true });
      await t.expect.refused(asked, "too_large", "a cascade over 17 levels");
      const { total } = await t.caller.retrieve();
      t.expect.equal(total, levels.length, "entries after a cascade that is refused for its levels");
      const { receipt } = await t.caller.forget({ keys: [key(1)], cascade: true });
      t.expect.equal(receipt.cascaded, Array(LEVELS_MAX).fill(1), "`cascaded` of a cascade over 16 levels");
    },
  }),
];
