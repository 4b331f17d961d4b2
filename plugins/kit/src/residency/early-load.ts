import type { Partition } from "../partition/partition.js";
import type { PartitionLoader } from "./partition-loader.js";

/**
 * One partition that begins to load while the log is still being read. It holds what is stored, which is all there is
 * of it unless the log turns out to hold what storage does not.
 */
export class EarlyLoad {
  #scope: string | undefined;
  readonly #loading: Promise<Partition>;

  /** Begins to load the scope; undefined where there is none. */
  static begin(
    loader: PartitionLoader,
    scope: string | undefined,
    empty: () => Partition,
  ): EarlyLoad | undefined {
    return scope === undefined ? undefined : new EarlyLoad(loader, scope, empty());
  }

  private constructor(loader: PartitionLoader, scope: string, partition: Partition) {
    this.#scope = scope;
    this.#loading = loader.load(scope, partition, new Set()).then(() => partition);
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
