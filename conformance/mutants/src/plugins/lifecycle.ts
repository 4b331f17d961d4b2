import { setImmediate } from "node:timers/promises";
import type { PluginManifest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";

import { DurablePlugin } from "../reference/durable-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { lifecycleProcessMutants } from "./durability-killed.js";

const manifestMutants: readonly Mutant[] = [
  pluginMutant({
    id: "lifecycle-manifest-empty-until-open",
    defect: "the manifest has no features until the plugin is opened",
    check: "lifecycle/manifest-names-every-feature",
    names: /features that are true or false in the manifest before it is opened/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override features() {
          return this.services === undefined ? ({} as PluginManifest["features"]) : super.features();
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-manifest-by-use",
    defect: "`queued` is declared once something was stored",
    check: "lifecycle/manifest-does-not-change",
    names: /the manifest after requests and maintenance/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override features() {
          return { ...super.features(), queued: this.services === undefined || this.partitions.size > 0 };
        }
      })(),
  }),
];

const servingMutants: readonly Mutant[] = [
  pluginMutant({
    id: "lifecycle-unused-is-let-go",
    defect: "maintenance closes unused partitions, which are never opened again",
    check: "lifecycle/opens-serves-and-closes",
    names: /a request that the protocol allows.*runtime_error/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #isLetGo = false;

        override async maintain(): Promise<void> {
          this.#isLetGo = this.partitions.size === 0;
        }

        override async onRetrieve(...[selector, request]: Parameters<ReferencePlugin["onRetrieve"]>) {
          if (this.#isLetGo) throw new TypeError("the storage is closed");
          return super.onRetrieve(selector, request);
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-compaction-loses-a-row",
    defect: "compacting a partition after a forget loses its last row",
    check: "lifecycle/maintain-keeps-what-is-left",
    names: /entries after a was forgotten and maintenance has run/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #holed = new Set<Map<string, unknown>>();

        protected override drop(...[row, action, agent]: Parameters<ReferencePlugin["drop"]>) {
          this.#holed.add(this.partition(row.scope).rows);
          super.drop(row, action, agent);
        }

        override async maintain(): Promise<void> {
          for (const rows of this.#holed) rows.delete([...rows.keys()].at(-1) ?? "");
          this.#holed.clear();
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-compaction-loses-writes",
    defect: "entries stored during the compaction of a partition are lost",
    check: "lifecycle/maintain-beside-requests",
    names: /keys after 30 stores and a forget, with concurrent maintenance/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async maintain(): Promise<void> {
          for (const { rows } of this.partitions.values()) {
            const compacted = [...rows];
            await setImmediate();
            rows.clear();
            for (const [key, row] of compacted) rows.set(key, row);
          }
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-working-tier-outlives-its-host",
    defect: "the working tier is stored on disk and restored",
    check: "lifecycle/working-tier-ends-with-the-plugin",
    names: /entries of the working tier after close and open/,
    createPlugin: () => new DurablePlugin(),
  }),
];

class Unlocked extends DurablePlugin {
  protected override async takeLock(): Promise<undefined> {}
}

const directoryMutants: readonly Mutant[] = [
  pluginMutant({
    id: "lifecycle-second-opener-accepted",
    defect: "a second instance opens a directory that is in use",
    check: "lifecycle/second-opener-is-refused",
    names: /`open` of a second instance .*: expected an error/,
    tier: "episodic",
    createPlugin: () => new Unlocked(),
  }),
  pluginMutant({
    id: "lifecycle-lock-outlives-close",
    defect: "`close` does not remove the lock of the directory",
    check: "lifecycle/directory-is-free-after-close",
    names: /opening the plugin again on its directory: expected it to succeed/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        override async close(): Promise<void> {
          this.lock = undefined;
          await super.close();
        }
      })(),
  }),
];

export const lifecycleMutants: readonly Mutant[] = [
  ...manifestMutants,
  ...servingMutants,
  ...directoryMutants,
  ...lifecycleProcessMutants,
];
