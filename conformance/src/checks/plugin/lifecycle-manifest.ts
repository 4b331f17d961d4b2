import { ADDED_FEATURES, FEATURES, PLUGIN_CONTRACT } from "@membus/protocol/plugin";
import { type Check, pluginCheck } from "../../catalogue/check.js";

/** The manifest of a plugin. */
export const lifecycleManifestChecks: readonly Check[] = [
  pluginCheck({
    id: "lifecycle/manifest-names-every-feature",
    clauses: ["PLUG-2", "PLUG-21"],
    async run({ plugin, another, expect }) {
      const manifests = {
        "before it is opened": (await another({ sameDirectory: false, open: false })).manifest,
        "while it is open": plugin.manifest,
      };
      for (const [when, { contract, features }] of Object.entries(manifests)) {
        expect.equal(contract, PLUGIN_CONTRACT, `\`contract\` of the manifest ${when}`);
        const given = Object.entries(features).filter(([, value]) => typeof value === "boolean");
        const later = ADDED_FEATURES.filter((name) => !Object.hasOwn(features, name));
        const names = given.map(([name]) => name).filter((name) => Object.hasOwn(FEATURES, name));
        expect.sameMembers(
          [...names, ...later],
          Object.keys(FEATURES),
          `features that are true or false in the manifest ${when}`,
        );
      }
    },
  }),
  pluginCheck({
    id: "lifecycle/manifest-does-not-change",
    clauses: ["PLUG-2"],
    async run({ plugin, caller, entry, expect, maintain, reopen }) {
      const opened = structuredClone(plugin.manifest);
      await caller.store([entry(), entry()]);
      await caller.retrieve({ limit: 1 });
      await caller.forget({ all: true });
      await maintain();
      expect.equal(
        plugin.manifest,
        opened,
        "the manifest after requests and maintenance, compared with right after open",
      );
      const again = await reopen();
      expect.equal(again.manifest, opened, "the manifest of the next instance on the same directory");
    },
  }),
];
