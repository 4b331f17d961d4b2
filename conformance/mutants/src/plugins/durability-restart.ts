import { hostMutant, type Mutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { ForgottenOnDisk } from "../reference/forgotten-on-disk.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

export const durabilityRestartMutants: readonly Mutant[] = [
  hostMutant({
    id: "durability-host-loses-entries",
    tier: "episodic",
    defect: "the episodic tier declares `durable` and restores no entries when its host starts",
    check: "durability/entries-survive-restart",
    names: /entries after the host was killed and started again/,
    plugins: {
      episodic: () =>
        new (class extends DurablePlugin {
          protected override replay(): void {}
        })(),
    },
  }),
  hostMutant({
    id: "durability-host-drops-the-newest",
    tier: "episodic",
    defect: "some of the last stored entries are dropped when the host starts",
    check: "durability/acknowledged-survives-restart",
    names: /keys after a kill during stores/,
    plugins: {
      episodic: () =>
        new (class extends DurablePlugin {
          override async open(...[services]: Parameters<DurablePlugin["open"]>): Promise<void> {
            await super.open(services);
            for (const { rows } of this.partitions.values()) {
              for (const key of [...rows.keys()].slice(15)) rows.delete(key);
            }
          }
        })(),
    },
  }),
  hostMutant({
    id: "durability-host-brings-forgotten-back",
    tier: "episodic",
    defect: "forgotten entries exist again after a restart of the host",
    check: "durability/forgotten-stays-forgotten-after-restart",
    names: /entries after a kill and a start, with one of two forgotten/,
    plugins: { episodic: () => new ForgottenOnDisk() },
  }),
  hostMutant({
    id: "durability-host-repeats-operations",
    tier: "episodic",
    defect: "a request that is repeated after a restart is executed again",
    check: "durability/results-survive-restart",
    names: /receipts of a store that is repeated after a kill and a start/,
    plugins: {
      episodic: () =>
        new (class extends DurablePlugin {
          protected override replayOperation(): void {}
        })(),
    },
  }),
  hostMutant({
    id: "durability-working-tier-in-the-module",
    defect: "the working tier survives a restart",
    check: "durability/working-tier-ends-with-the-host",
    names: /entries of the working tier after the host was killed and started again/,
    plugins: { working: keepingRows() },
  }),
  hostMutant({
    id: "durability-working-tier-moves-along",
    defect: "the next host of a tenant gets its working memory",
    check: "durability/working-tier-ends-with-a-move",
    names: /entries of the working tier after a move to another host/,
    plugins: { working: keepingRows() },
  }),
  hostMutant({
    id: "durability-move-brings-forgotten-back",
    tier: "episodic",
    defect: "forgotten entries exist again on the next host of their tenant",
    check: "durability/entries-survive-a-move",
    names: /entries after a move to another host, with one of two forgotten/,
    plugins: { episodic: () => new ForgottenOnDisk() },
  }),
];

/** Creates instances that pass their rows to the next one. */
function keepingRows(): () => ReferencePlugin {
  let left: readonly Row[] = [];
  return () =>
    new (class extends ReferencePlugin {
      override async open(...[services]: Parameters<ReferencePlugin["open"]>): Promise<void> {
        await super.open(services);
        for (const row of left) this.partition(row.scope).rows.set(this.rowKey(row), row);
      }

      override async close(): Promise<void> {
        left = [...this.partitions.values()].flatMap(({ rows }) => [...rows.values()]);
      }
    })();
}
