import type { Partition } from "../../search/index.js";
import type { Storage } from "../../storage.js";

/** A partition that is being read; `rowCount` is what storage has of it, 0 while that is not known. */
interface Loading {
  readonly partition: Partition;
  rowCount: number;
}

/** Reads partitions from storage, and knows how far it has got. */
export class PartitionLoader {
  readonly #storage: Pick<Storage, "load">;
  readonly #loading = new Set<Loading>();

  constructor(storage: Pick<Storage, "load">) {
    this.#storage = storage;
  }

  /** Takes what storage has of a scope into an empty partition, without the rows that are gone since. */
  async load(scope: string, partition: Partition, gone: ReadonlySet<number>): Promise<void> {
    const loading: Loading = { partition, rowCount: 0 };
    this.#loading.add(loading);
    try {
      await this.#storage.load(scope, {
        reserve(count) {
          loading.rowCount = count;
          partition.reserve(count);
        },
        take: (rows) => partition.load(rows, gone),
      });
    } finally {
      this.#loading.delete(loading);
    }
  }

  /** Partitions on their way into RAM, the rows that they have, and those of them that are there. */
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
