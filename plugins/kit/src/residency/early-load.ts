import type { Partition } from "../partition/partition.js";
import type { Storage } from "../storage.js";

/**
 * One partition that begins to load while the log is still being read. It holds what is stored, which is all there is
 * of it unless the log turns out to hold what storage does not.
 */
export class EarlyLoad {
  #scope: string | undefined;
  readonly #loading: Promise<Partition>;

  constructor(storage: Storage, scope: string, empty: Partition) {
    this.#scope = scope;
    this.#loading = storage
      .load(scope, {
        reserve: (count) => empty.reserve(count),
        take: (rows) => empty.load(rows, new Set()),
      })
      .then(() => empty);
    this.#loading.catch(() => undefined);
  }

  /** The partition of this scope, once; undefined for others, and after `drop`. */
  take(scope: string): Promise<Partition> | undefined {
    if (scope !== this.#scope) return undefined;
    this.#scope = undefined;
    return this.#loading;
  }

  drop(): void {
    this.#scope = undefined;
  }

  /** Resolves when storage is not read any more. */
  async ended(): Promise<void> {
    await this.#loading.catch(() => undefined);
  }
}
