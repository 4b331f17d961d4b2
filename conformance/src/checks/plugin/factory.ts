import { pluginProblem } from "@membus/protocol/plugin";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import { foundIds } from "../../fixtures/found-ids.js";

/** The factory returns a separate instance for the tier that it is opened for. */
export const factoryChecks: readonly Check[] = [
  pluginCheck({
    id: "factory/gives-a-whole-plugin",
    clauses: ["PLUG-19"],
    async run({ another, expect }) {
      const plugin = await another({ sameDirectory: false, open: false });
      expect.equal(
        pluginProblem(plugin),
        undefined,
        "the reason why the result of `createPlugin` is not a plugin",
      );
    },
  }),
  pluginCheck({
    id: "factory/instances-share-nothing",
    clauses: ["PLUG-1", "PLUG-5", "PLUG-19"],
    async run({ caller, another, agentOf, entry, expect }) {
      await caller.store(entry({ key: { id: "of the first" } }));
      const second = agentOf(await another({ sameDirectory: false }));
      const empty = await second.retrieve();
      expect.equal(
        empty.total,
        0,
        "entries of a new instance on an empty directory, while another one holds an entry",
      );
      await second.store(entry({ key: { id: "of the second" } }));
      expect.equal(
        foundIds(await caller.retrieve()),
        ["of the first"],
        "entries of the first of two open instances",
      );
      const { deleted } = await second.forget({ all: true });
      expect.equal(deleted, 1, "deleted by a forget of everything in the second of two open instances");
      const left = foundIds(await caller.retrieve());
      expect.equal(
        left,
        ["of the first"],
        "entries of the first instance after the second has forgotten everything",
      );
    },
  }),
  pluginCheck({
    id: "factory/instances-share-no-operations",
    clauses: ["PLUG-1", "RETRY-1"],
    async run({ caller, another, agentOf, entry, expect }) {
      const second = agentOf(await another({ sameDirectory: false }));
      const [one, id] = [entry(), "the same id"];
      await caller.store(one, { id });
      const { receipts } = await second.store(one, { id });
      const { entries } = await second.retrieve();
      const keys = entries.map(({ key }) => key);
      expect.equal(keys, [one.key], "keys of an instance after a store with an id that another instance had");
      expect.equal(
        receipts[0]?.outcome,
        "created",
        "outcome of a store with an id that another instance had",
      );
    },
  }),
  pluginCheck({
    id: "factory/serves-the-tier-it-is-opened-for",
    clauses: ["PLUG-1"],
    async run({ caller, entry, expect, tier }) {
      await caller.store(entry());
      const { entries } = await caller.retrieve();
      const tiers = entries.map((found) => found.tier);
      expect.equal(tiers, [tier], `tiers of the entries of a plugin that is opened for ${tier}`);
    },
  }),
];
