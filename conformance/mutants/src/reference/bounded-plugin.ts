import { type Partition, ReferencePlugin } from "./reference-plugin.js";
import type { Row } from "./row.js";

/** Maximum number of entries in one partition. Checks without eviction store fewer. */
export const ENTRIES_MAX = 1_200;

/** The reference plugin with a limit: it evicts the least recently used entry of a partition. */
export class BoundedPlugin extends ReferencePlugin {
  protected override features() {
    return { ...super.features(), eviction: true };
  }

  protected override storeOne(...[partition, item, ...how]: Parameters<ReferencePlugin["storeOne"]>) {
    const fate = super.storeOne(partition, item, ...how);
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

  /**
   * Moves a row to the end of the map, which iterates in insertion order. Ignores a version that was replaced
   * during the read.
   */
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
