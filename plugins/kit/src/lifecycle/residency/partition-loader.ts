import type { Partition } from "../../search/index.js";
import type { Storage } from "../../storage.js";

/** A partition that is being loaded. `rowCount` is its number of stored rows, 0 until it is known. */
interface Loading {
  readonly partition: Partition;
  rowCount: number;
}

/** Loads partitions from storage and reports the progress. */
export class PartitionLoader {
  readonly #storage: Pick<Storage, "load">;
  readonly #loading = new Set<Loading>();

  constructor(storage: Pick<Storage, "load">) {
    this.#storage = storage;
  }

  /** Loads the stored rows of a scope into an empty partition, except removed ones. */
  async load(scope: string, partition: Partition, removed: ReadonlySet<number>): Promise<void> {
    const loading: Loading = { partition, rowCount: 0 };
    this.#loading.add(loading);
    try {
      await this.#storage.load(scope, {
        reserve(count) {
          loading.rowCount = count;
          partition.reserve(count);
          return partition.vectors?.isResident === true;
        },
        take: (rows) => partition.load(rows, removed),
      });
    } finally {
      this.#loading.delete(loading);
    }
  }

  /** Number of partitions being loaded, of their rows, and of the rows loaded so far. */
  get stats(): Readonly<Record<string, number>> {
    let rows = 0;
    let loaded = 0;
    for (const { partition, rowCount } of this.#loading) {
      rows += rowCount;
      loaded += partition.columns.count;
    }
    return { partitions_loading: this.#loading.size, rows_to_load: rows, rows_loaded: loaded };
  }
}
