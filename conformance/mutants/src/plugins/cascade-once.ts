import { delay, systemClock } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { LineagePlugin } from "../reference/lineage-plugin.js";
import type { Row } from "../reference/row.js";

/** The lineage plugin with another treatment of derived rows in a cascade. */
class DerivedApart extends LineagePlugin {
  protected readonly derived = new Set<Row>();

  protected override levels(...args: Parameters<LineagePlugin["levels"]>): Row[][] {
    const levels = super.levels(...args);
    for (const row of levels.flat()) this.derived.add(row);
    return levels;
  }
}

export const cascadeOnceMutants: readonly Mutant[] = [
  pluginMutant({
    id: "cascade-again-on-a-retry",
    defect: "a repeated cascade is executed again",
    check: "cascade/retry-gets-the-first-reply",
    names: /ids of entries that were stored again between a cascade and its retry/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        override async onForget(...[selector, request]: Parameters<LineagePlugin["onForget"]>) {
          const result = await super.onForget(selector, request);
          if (!request.cascade || request.dry_run) return result;
          for (const row of this.doomed(selector, request)) this.drop(row, "forgotten", request.op.agent);
          return result;
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-takes-later-stores",
    defect: "a cascade deletes entries that were stored during its search",
    check: "cascade/heeds-the-order-of-stores",
    names: /ids left of a cascade between two stores/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override async forgetAll(...args: Parameters<LineagePlugin["forgetAll"]>) {
          await delay(systemClock, 5);
          return super.forgetAll(...args);
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-derived-not-told",
    defect: "a plugin reports the selected entries of a cascade, but not the derived ones",
    check: "cascade/is-told-entry-by-entry",
    names: /changes that a plugin reports for a cascade/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DerivedApart {
        protected override report(...[row, ...how]: Parameters<LineagePlugin["report"]>): void {
          if (!this.derived.has(row)) super.report(row, ...how);
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-derived-back-after-reopen",
    defect: "derived entries are deleted from memory, but not from the journal",
    check: "cascade/survives-reopen",
    names: /ids left by a cascade, after close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DerivedApart {
        protected override rewritten() {
          const line = super.rewritten();
          return { ...line, rows: [...line.rows, ...this.derived] };
        }
      })(),
  }),
];
