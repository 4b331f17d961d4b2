import { keyHash } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck, memoryCheck } from "../../../catalogue/check.js";
import { refusalCodes } from "../../../fixtures/fate-of.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";

const [ONE, TWO, THREE] = ["one", "two", "three"].map((id) => keyHash({ id })) as [string, string, string];
const MANY = Array.from({ length: 64 }, (_, id) => keyHash({ id }));

const MALFORMED: Readonly<Record<string, { readonly sources: unknown; readonly code: string }>> = {
  "a hash in place of the list": { sources: ONE, code: "schema_violation" },
  "a key in place of a hash": { sources: [{ id: "one" }], code: "schema_violation" },
  "63 digits": { sources: [ONE.slice(1)], code: "schema_violation" },
  "upper-case digits": { sources: [`${ONE.slice(0, 62)}AB`], code: "schema_violation" },
  "one hash twice": { sources: [ONE, TWO, ONE], code: "schema_violation" },
  "65 hashes": { sources: [...MANY, ONE], code: "too_large" },
};

export const sourcesChecks: readonly Check[] = [
  memoryCheck({
    id: "sources/returned-as-given",
    clauses: ["SRC-3", "PLUG-3"],
    features: ["sources"],
    async run({ caller, entry, expect }) {
      const given = { many: MANY, two: [TWO, ONE], empty: [], null: null, absent: undefined };
      await caller.store(Object.entries(given).map(([id, sources]) => entry({ key: { id }, sources })));
      const { entries } = await caller.retrieve();
      const returned = Object.fromEntries(
        entries.map(({ key, sources }) => [String(key.id), sources ?? "no field"]),
      );
      const none = { empty: "no field", null: "no field", absent: "no field" };
      expect.equal(
        returned,
        { many: MANY, two: [TWO, ONE], ...none },
        "sources of entries, by how they were given",
      );
    },
  }),
  memoryCheck({
    id: "sources/stay-and-clear-as-an-extension-field",
    clauses: ["SRC-2", "UPD-2", "UPD-6"],
    features: ["sources"],
    async run({ caller, entry, expect }) {
      const steps: [string, object, string, readonly string[] | undefined][] = [
        ["with two sources", { sources: [ONE, TWO] }, "created", [ONE, TWO]],
        ["without the field", {}, "unchanged", [ONE, TWO]],
        ["with the same sources", { sources: [ONE, TWO] }, "unchanged", [ONE, TWO]],
        ["with other content and without the field", { content: "new" }, "updated", [ONE, TWO]],
        ["with another source", { content: "new", sources: [THREE] }, "updated", [THREE]],
        ["with null", { content: "new", sources: null }, "updated", undefined],
        ["with the empty list", { content: "new", sources: [] }, "unchanged", undefined],
        ["with a source again", { content: "new", sources: [ONE] }, "updated", [ONE]],
        ["with the empty list again", { content: "new", sources: [] }, "updated", undefined],
      ];
      for (const [how, fields, outcome, sources] of steps) {
        const { receipts } = await caller.store(entry({ key: { id: 1 }, content: "old", ...fields }));
        expect.equal(receipts[0]?.outcome, outcome, `outcome of a store ${how}`);
        const [found] = (await caller.retrieve()).entries;
        expect.equal(found?.sources, sources, `sources after a store ${how}`);
      }
    },
  }),
  memoryCheck({
    id: "sources/a-field-of-where",
    clauses: ["SRC-4", "CRIT-9", "CRIT-8"],
    features: ["sources"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ key: { id: "both" }, sources: [ONE, TWO] }),
        entry({ key: { id: "two" }, sources: [TWO] }),
        entry({ key: { id: "none" } }),
      ]);
      const expected: [string, unknown, string[]][] = [
        ["eq", ONE, ["both"]],
        ["ne", ONE, ["two", "none"]],
        ["in", [ONE, THREE], ["both"]],
        ["in", [TWO], ["both", "two"]],
        ["nin", [ONE, THREE], ["two", "none"]],
        ["exists", true, ["both", "two"]],
        ["exists", false, ["none"]],
        ["contains", ONE.slice(10, 40), ["both"]],
        ["starts_with", TWO.slice(0, 20), ["both", "two"]],
        ["gt", "", []],
      ];
      for (const [op, value, ids] of expected) {
        const found = await caller.retrieve({ where: { field: "sources", op, value } as never });
        const what = `ids for sources ${op} ${JSON.stringify(value)}, of entries with the sources [one, two], [two] and none`;
        expect.sameMembers(foundIds(found), ids, what);
      }
    },
  }),
  hostTierCheck({
    id: "sources/malformed-are-refused",
    clauses: ["SRC-1", "LIMIT-2"],
    features: ["sources"],
    async run({ caller, entry, expect }) {
      for (const [what, { sources, code }] of Object.entries(MALFORMED)) {
        const stored = await refusalCodes(caller.store([entry({ sources: sources as never }), entry()]));
        expect.equal(
          stored,
          [code],
          `codes of a store of an entry with ${what} as sources, and of a plain one`,
        );
      }
      const { total } = await caller.retrieve();
      expect.equal(
        total,
        Object.keys(MALFORMED).length,
        "entries after stores of a plain one together with a malformed one",
      );
    },
  }),
  hostTierCheck({
    id: "sources/refused-when-undeclared",
    clauses: ["SRC-5", "PLUG-4"],
    withoutFeature: "sources",
    async run({ caller, entry, expect }) {
      const [named, plain] = [entry({ sources: [ONE] }), entry({ key: { id: "plain" } })];
      const codes = await refusalCodes(caller.store([named, plain]));
      expect.equal(
        codes,
        ["unsupported"],
        "codes of a store of an entry with sources, not declared, and a plain one",
      );
      expect.equal(foundIds(await caller.retrieve()), ["plain"], "entries of a listing afterwards");
    },
  }),
  hostCheck({
    id: "host-plugins/features-added-later-need-not-be-named",
    clauses: ["PLUG-21"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const plugin = new ScriptedPlugin({});
      const { sources: _, cascade: _cascade, ...features } = plugin.manifest.features;
      Object.assign(plugin.manifest, { features });
      const { caller, entry } = await startHost({ plugins: { working: plugin } });
      const { stored } = await caller.store(entry());
      expect.equal(stored.length, 1, "entries stored by a host with a plugin manifest of version 1.0");
      const codes = await refusalCodes(caller.store(entry({ sources: [ONE] })));
      expect.equal(
        codes,
        ["unsupported"],
        "codes of a store with sources, which that manifest does not name",
      );
      const cascade = caller.forget({ all: true, cascade: true });
      await expect.refused(
        cascade,
        "unsupported",
        "a forget with cascade, which that manifest does not name",
      );
    },
  }),
];
