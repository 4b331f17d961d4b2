import { setImmediate } from "node:timers/promises";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

const DURING_FORGET = "concurrency/stores-during-a-forget-are-kept";
const DURING_MAINTENANCE = "lifecycle/changes-beside-maintenance-last";

/** Replaces the rows of all selected partitions by what `kept` returns after a while. */
class ForgetsByCopying extends ReferencePlugin {
  protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
    const doomed = new Set(this.doomed(selector, request));
    const copies = this.selectedPartitions(selector).map((partition) => ({
      partition,
      rows: new Map([...partition.rows].filter(([, row]) => !doomed.has(row))),
    }));
    for (let wait = 0; wait < 4; wait++) await setImmediate();
    for (const { partition, rows } of copies) this.replace(partition, rows);
    for (const row of doomed) this.report(row, "forgotten", request.op.agent);
    return this.result(doomed.size, request.op);
  }

  protected replace({ rows }: Partition, kept: ReadonlyMap<string, Row>): void {
    rows.clear();
    for (const [key, row] of kept) rows.set(key, row);
  }
}

/** Deletes by key after a while, whatever has been stored under the key since. */
class ForgetsByKeyLater extends ReferencePlugin {
  protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
    const doomed = this.doomed(selector, request);
    for (let wait = 0; wait < 4; wait++) await setImmediate();
    for (const row of doomed) this.drop(row, "forgotten", request.op.agent);
    return this.result(doomed.length, request.op);
  }
}

/** Rewrites the journal in maintenance from a copy that was made before it waited. */
class CompactsACopy extends DurablePlugin {
  #copy: ReturnType<DurablePlugin["rewritten"]> | undefined;

  override async maintain(): Promise<void> {
    await super.maintain();
    this.#copy = super.rewritten();
    for (let wait = 0; wait < 3; wait++) await setImmediate();
    this.rewrite();
    this.#copy = undefined;
  }

  protected override rewritten() {
    return this.#copy ?? super.rewritten();
  }

  override async close(): Promise<void> {
    this.journal.close();
    await this.lock?.release();
  }
}

/** Drops the lines that are appended while maintenance runs. */
class DeafDuringMaintenance extends DurablePlugin {
  #isMaintaining = false;

  override async maintain(): Promise<void> {
    await super.maintain();
    this.rewrite();
    this.#isMaintaining = true;
    for (let wait = 0; wait < 3; wait++) await setImmediate();
    this.#isMaintaining = false;
  }

  protected override append(...args: Parameters<DurablePlugin["append"]>): void {
    if (!this.#isMaintaining) super.append(...args);
  }

  protected override rewrite(): void {
    if (!this.#isMaintaining) super.rewrite();
  }

  override async close(): Promise<void> {
    this.journal.close();
    await this.lock?.release();
  }
}

export const interleavingMutants: readonly Mutant[] = [
  pluginMutant({
    id: "store-batch-in-two-steps",
    defect: "a batch is written in two transactions, and readers see the first half of it",
    check: "store/a-batch-is-seen-whole",
    names: /totals other than 0 and 250 of a tag/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeOne(...args: Parameters<ReferencePlugin["storeOne"]>) {
          const fate = super.storeOne(...args);
          if (args[1].index === 125) await setImmediate();
          return fate;
        }
      })(),
  }),
  pluginMutant({
    id: "store-batch-removes-before-it-writes",
    defect: "a batch removes the former versions of its entries before it writes the new ones",
    check: "store/a-batch-is-seen-whole",
    names: /totals other than 0 and 250 of a tag, read during a store of 250 updated again/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
          const { rows } = this.partition(scope);
          const former = request.entries.flatMap((item) => rows.get(this.rowKey(item)) ?? []);
          for (const [at, row] of former.entries()) {
            rows.delete(this.rowKey(row));
            if (at === former.length >> 1) await setImmediate();
          }
          for (const row of former) rows.set(this.rowKey(row), row);
          return super.storeAll(scope, request);
        }
      })(),
  }),
  pluginMutant({
    id: "concurrency-forget-writes-the-partition-back",
    defect: "a forget reads the partition, removes entries, and writes the partition back",
    check: DURING_FORGET,
    names: /entries stored while a forget of 120 other entries was running/,
    createPlugin: () => new ForgetsByCopying(),
  }),
  pluginMutant({
    id: "concurrency-forget-restores-old-versions",
    defect: "a forget writes the entries that it keeps back in the version that it read",
    check: DURING_FORGET,
    names: /contents of the entries updated while a forget/,
    createPlugin: () =>
      new (class extends ForgetsByCopying {
        protected override replace({ rows }: Partition, kept: ReadonlyMap<string, Row>): void {
          const added = [...rows].filter(([key, row]) => !kept.has(key) && row.tags.length === 0);
          super.replace({ rows } as Partition, new Map([...kept, ...added]));
        }
      })(),
  }),
  pluginMutant({
    id: "concurrency-forget-deletes-by-key",
    defect: "a forget deletes the keys that it selected, also if another version is stored under them since",
    check: DURING_FORGET,
    names: /contents of the entries that lost their tag/,
    createPlugin: () => new ForgetsByKeyLater(),
  }),
  pluginMutant({
    id: "lifecycle-maintenance-writes-a-copy",
    defect: "maintenance replaces the journal by a copy that lacks the changes made in the meantime",
    check: DURING_MAINTENANCE,
    names: /during maintenance, after it, and close and open/,
    tier: "episodic",
    createPlugin: () => new CompactsACopy(),
  }),
  pluginMutant({
    id: "lifecycle-maintenance-stops-the-journal",
    defect: "changes that are acknowledged during maintenance are not written to the journal",
    check: DURING_MAINTENANCE,
    names: /during maintenance, after it, and close and open/,
    tier: "episodic",
    createPlugin: () => new DeafDuringMaintenance(),
  }),
];
