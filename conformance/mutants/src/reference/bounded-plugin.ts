import { type Partition, ReferencePlugin } from "./reference-plugin.js";
import type { Row } from "./row.js";

/** Entries of one partition: more than any check stores that is not about eviction. */
export const ENTRIES_MAX = 1_200;

/** The reference plugin with a bound: over it, the least recently used entry of the partition is evicted. */
export class BoundedPlugin extends ReferencePlugin {
  protected override features() {
    return { ...super.features(), eviction: true };
  }

  protected override async storeOne(...[partition, item, ...how]: Parameters<ReferencePlugin["storeOne"]>) {
    const fate = await super.storeOne(partition, item, ...how);
    const row = partition.rows.get(this.rowKey(item));
    if (row !== undefined) this.stored(row);
    this.evictOverflow(partition);
    return fate;
  }

  protected stored(row: Row): void {
    this.use(row);
  }

  protected override touch(row: Row): void {
    super.touch(row);
    this.use(row);
  }

  /** A map gives what was set last in the end. A version that was replaced while it was read is no use any more. */
  protected use(row: Row): void {
    const { rows } = this.partition(row.scope);
    const key = this.rowKey(row);
    if (rows.get(key) !== row) return;
    rows.delete(key);
    rows.set(key, row);
  }

  protected evictOverflow({ rows }: Partition): void {
    while (rows.size > ENTRIES_MAX) this.evict(this.victim(rows));
  }

  protected victim(rows: ReadonlyMap<string, Row>): Row {
    return rows.values().next().value!;
  }

  protected evict(row: Row): void {
    this.drop(row, "evicted", row.author);
  }
}
