import type { PluginServices } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { returning } from "../reference/with-rule.js";

/** Creates reference plugins that share one part while any of them is open. */
function sharing(part: "partitions" | "operations"): () => ReferencePlugin {
  const common = new Map();
  let openCount = 0;
  return () =>
    new (class extends ReferencePlugin {
      override async open(services: PluginServices): Promise<void> {
        await super.open(services);
        openCount++;
        Object.defineProperty(this, part, { value: common });
      }

      override async close(): Promise<void> {
        if (--openCount === 0) common.clear();
      }
    })();
}

export const factoryMutants: readonly Mutant[] = [
  pluginMutant({
    id: "factory-figures-instead-of-stats",
    defect: "`stats` is an object instead of a function",
    check: "factory/gives-a-whole-plugin",
    names: /the reason why the result of `createPlugin` is not a plugin.*`stats` is not a function/s,
    createPlugin: () => Object.defineProperty(new ReferencePlugin(), "stats", { value: { entries: 0 } }),
  }),
  pluginMutant({
    id: "factory-entries-in-the-module",
    defect: "the entries are in a module variable, which all instances share",
    check: "factory/instances-share-nothing",
    names: /entries of a new instance on an empty directory/,
    createPlugin: sharing("partitions"),
  }),
  pluginMutant({
    id: "factory-operations-in-the-module",
    defect: "the results are in a module variable, which all instances share",
    check: "factory/instances-share-no-operations",
    names: /keys of an instance after a store with an id that another instance had/,
    createPlugin: sharing("operations"),
  }),
  pluginMutant({
    id: "factory-tier-is-fixed",
    defect: "entries have the tier that the plugin was written for, not the one it serves",
    check: "factory/serves-the-tier-it-is-opened-for",
    names: /tiers of the entries of a plugin that is opened for semantic/,
    tier: "semantic",
    createPlugin: returning(() => ({ tier: "episodic" })),
  }),
];
