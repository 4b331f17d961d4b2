import { type Mutant, pluginMutant } from "../mutant.js";
import { BoundedPlugin, ENTRIES_MAX } from "../reference/bounded-plugin.js";
import type { Partition } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

export const evictionMutants: readonly Mutant[] = [
  pluginMutant({
    id: "eviction-newest-first",
    defect: "the newest entry is evicted first",
    check: "eviction/oldest-go-first",
    names: /of \d+ evicted entries, the number among the oldest/,
    createPlugin: () =>
      new (class extends BoundedPlugin {
        protected override victim(rows: ReadonlyMap<string, Row>): Row {
          return [...rows.values()].at(-2)!;
        }
      })(),
  }),
  pluginMutant({
    id: "eviction-first-in-first-out",
    defect: "entries are evicted in the order in which they were first stored",
    check: "eviction/use-keeps",
    names: /total by key of an old entry that is read after every batch/,
    createPlugin: () =>
      new (class extends BoundedPlugin {
        protected override use(): void {}
      })(),
  }),
  pluginMutant({
    id: "eviction-stores-are-no-use",
    defect: "an entry that is stored again keeps its place in the order of use",
    check: "eviction/use-keeps",
    names: /outcome of an update of an old entry that is updated after every batch/,
    createPlugin: () =>
      new (class extends BoundedPlugin {
        protected override stored(): void {}
      })(),
  }),
  pluginMutant({
    id: "eviction-in-silence",
    defect: "evicted entries are not reported",
    check: "eviction/evicted-is-reported",
    names: /changes with the action `evicted`/,
    createPlugin: () =>
      new (class extends BoundedPlugin {
        protected override evict(row: Row): void {
          this.partition(row.scope).rows.delete(this.rowKey(row));
        }
      })(),
  }),
  pluginMutant({
    id: "eviction-reported-as-the-newcomer",
    defect: "an eviction reports the new entry instead of the evicted one",
    check: "eviction/evicted-is-reported",
    names: /keys that are reported as evicted and are missing/,
    createPlugin: () =>
      new (class extends BoundedPlugin {
        protected override evict(row: Row): void {
          const { rows } = this.partition(row.scope);
          rows.delete(this.rowKey(row));
          this.report([...rows.values()].at(-1)!, "evicted", row.author);
        }
      })(),
  }),
  pluginMutant({
    id: "eviction-one-order-for-all",
    defect:
      "the limit applies to all partitions together, and the least recently used entry of any agent is evicted",
    check: "eviction/each-partition-for-itself",
    names: /keys of 5 entries that are missing after another partition was filled/,
    createPlugin: () =>
      new (class extends BoundedPlugin {
        #clock = 0;
        readonly #usedAt = new WeakMap<Row, number>();

        protected override use(row: Row): void {
          this.#usedAt.set(row, ++this.#clock);
        }

        protected override evictOverflow(_partition: Partition): void {
          const rows = [...this.partitions.values()].flatMap((partition) => [...partition.rows.values()]);
          rows.sort((a, b) => (this.#usedAt.get(a) ?? 0) - (this.#usedAt.get(b) ?? 0));
          for (const row of rows.slice(0, Math.max(0, rows.length - ENTRIES_MAX))) this.evict(row);
        }
      })(),
  }),
];
