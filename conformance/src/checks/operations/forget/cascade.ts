import { type Check, hostTierCheck, memoryCheck } from "../../../catalogue/check.js";
import { derivedEntries, idsLeft } from "../../../fixtures/derived-entries.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { cascadeBoundsChecks } from "./cascade-bounds.js";
import { cascadeGeneratedChecks } from "./cascade-generated.js";
import { cascadeOnceChecks } from "./cascade-once.js";
import { cascadeOwnerChecks } from "./cascade-owners.js";
import { cascadeReachChecks } from "./cascade-reach.js";

const features = ["sources", "cascade"] as const;

/** Entries that a cascade deletes and keeps. */
const cascadeTakesChecks: readonly Check[] = [
  memoryCheck({
    id: "cascade/takes-what-is-derived-level-by-level",
    clauses: ["CASC-1", "CASC-5", "PLUG-3"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const inner = t.agent({ below: "inner" });
      await t.caller.store([derived("root"), derived("other"), derived("a", ["root"]), derived("c", ["b"])]);
      await inner.store([derived("b", ["a"]), derived("a2", ["root"]), derived("of other", ["other"])]);
      const { deleted, receipt } = await t.caller.forget({ keys: [key("root")], cascade: true });
      const what =
        "of a forget with cascade: one entry, two derived from it, and one derived from each of these at two levels";
      t.expect.equal([deleted, receipt.cascaded], [5, [2, 1, 1]], `\`deleted\` and \`cascaded\` ${what}`);
      t.expect.equal(receipt.by_tier[t.tier], 5, `\`by_tier\` ${what}`);
      t.expect.equal(await idsLeft(t.caller), ["other"], "ids left in the namespace that a cascade began in");
      t.expect.equal(await idsLeft(inner), ["of other"], "ids left in another namespace that it reached");
      const none = await t.caller.forget({ keys: [key("other")] });
      t.expect.equal(
        [none.deleted, none.receipt.cascaded, await idsLeft(inner)],
        [1, undefined, ["of other"]],
        "`deleted`, `cascaded` and the derived entries left, after a forget without cascade",
      );
    },
  }),
  memoryCheck({
    id: "cascade/leaves-what-has-another-source",
    clauses: ["CASC-2"],
    features,
    async run(t) {
      const { key, hash, derived } = derivedEntries(t);
      const inner = t.agent({ below: "inner" });
      await inner.store(derived("far"));
      await t.caller.store([
        ...[derived("root"), derived("near"), derived("both", ["root", "near"])],
        ...[derived("two", ["far", "root"]), derived("of both", ["both"])],
      ]);
      const { receipt } = await t.caller.forget({ keys: [key("root")], cascade: true });
      t.expect.equal(
        receipt.cascaded,
        [],
        "`cascaded` of a cascade over derived entries that all have another source",
      );
      t.expect.equal(await idsLeft(t.caller), ["both", "near", "of both", "two"], "ids left by it");
      const { entries } = await t.caller.retrieve({ keys: [key("both")] });
      const what = "sources of an entry that a cascade left because it has another";
      t.expect.equal(entries[0]?.sources, [hash("root"), hash("near")], what);
      const last = await t.caller.forget({ keys: [key("near")], cascade: true });
      t.expect.equal(last.receipt.cascaded, [1, 1], "`cascaded` after the other source is deleted too");
      t.expect.equal(
        await idsLeft(t.caller),
        ["two"],
        "ids left after the other source of one entry is deleted too",
      );
    },
  }),
  memoryCheck({
    id: "cascade/diamonds-and-cycles",
    clauses: ["CASC-1", "CASC-2"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      await t.caller.store([
        ...[derived("root"), derived("left", ["root"]), derived("right", ["root"])],
        ...[derived("further", ["right"]), derived("tip", ["left", "right", "further"])],
        ...[
          derived("ring 1", ["tip", "ring 1"]),
          derived("ring 2", ["ring 1"]),
          derived("ring 3", ["ring 2"]),
        ],
        ...[derived("pair 1", ["root", "pair 2"]), derived("pair 2", ["root", "pair 1"])],
      ]);
      const { deleted, receipt } = await t.caller.forget({ keys: [key("root")], cascade: true });
      const what = "of a cascade over a diamond with one longer side, followed by a chain";
      t.expect.equal(receipt.cascaded, [2, 1, 1, 1, 1, 1], `\`cascaded\` ${what}`);
      t.expect.equal(deleted, 8, `\`deleted\` ${what}`);
      const kept = "ids left by a cascade: two entries derived from each other both keep a source";
      t.expect.equal(await idsLeft(t.caller), ["pair 1", "pair 2"], kept);
      await t.caller.store([
        derived("ring 1", ["ring 3"]),
        derived("ring 2", ["ring 1"]),
        derived("ring 3", ["ring 2"]),
      ]);
      const ring = await t.caller.forget({ keys: [key("ring 2")], cascade: true });
      t.expect.equal(ring.receipt.cascaded, [1, 1], "`cascaded` of a cascade over a cycle");
    },
  }),
  memoryCheck({
    id: "cascade/goes-by-the-sources-there-are-now",
    clauses: ["CASC-1", "SRC-2"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      const { sources: _, ...cleared } = derived("cleared", ["root"]);
      await t.caller.store([derived("root"), derived("other"), derived("moved away", ["root"])]);
      await t.caller.store([
        derived("moved here", ["other"]),
        derived("cleared", ["root"]),
        derived("kept", ["root"]),
      ]);
      await t.caller.store([derived("moved away", ["other"]), derived("moved here", ["root"])]);
      await t.caller.store([
        { ...cleared, sources: null },
        { ...derived("kept"), content: "changed" },
      ]);
      await t.caller.forget({ keys: [key("root")], cascade: true });
      const what = "ids left by a cascade over entries with sources that an update changed, cleared or kept";
      t.expect.equal(await idsLeft(t.caller), ["cleared", "moved away", "other"], what);
    },
  }),
  memoryCheck({
    id: "cascade/dry-run-counts-and-keeps",
    clauses: ["CASC-5", "FORGET-2"],
    features,
    async run(t) {
      const { key, derived } = derivedEntries(t);
      await t.caller.store([
        derived("root"),
        derived("a", ["root"]),
        derived("b", ["a"]),
        derived("c", ["a"]),
      ]);
      const request = { keys: [key("root")], cascade: true };
      const dry = await t.caller.forget({ ...request, dry_run: true });
      t.expect.equal(
        [dry.deleted, dry.receipt.cascaded],
        [4, [1, 2]],
        "`deleted` and `cascaded` of a dry run",
      );
      t.expect.equal(await idsLeft(t.caller), ["a", "b", "c", "root"], "ids after a dry run of a cascade");
      const real = await t.caller.forget(request);
      t.expect.equal(
        [real.deleted, real.receipt.cascaded],
        [4, [1, 2]],
        "the same of the cascade after its dry run",
      );
      t.expect.equal(await idsLeft(t.caller), [], "ids after the cascade");
    },
  }),
  hostTierCheck({
    id: "cascade/refused-when-undeclared",
    clauses: ["CASC-9", "PLUG-4"],
    withoutFeature: "cascade",
    async run({ caller, entry, expect, tier }) {
      await caller.store(entry({ key: { id: "there" }, tags: ["red"] }));
      const asked = caller.forget({ tier, tags: ["red"], cascade: true });
      await expect.refused(asked, "unsupported", "a forget with cascade, which is not declared");
      expect.equal(foundIds(await caller.retrieve()), ["there"], "entries of a listing after it");
    },
  }),
];

export const cascadeChecks: readonly Check[] = [
  ...cascadeTakesChecks,
  ...cascadeGeneratedChecks,
  ...cascadeReachChecks,
  ...cascadeOwnerChecks,
  ...cascadeBoundsChecks,
  ...cascadeOnceChecks,
];
