import { type FileLogOptions, fileLog } from "@membus/disk";
import { type Analyzer, type HeldQuotas, type KitOptions, KitPlugin } from "@membus/plugin-kit";
import type { MemoryPlugin } from "@membus/protocol";
import { createLanceStorage } from "./lance-storage.js";
import { type LanceStorageOptions, resolveLanceStorageOptions } from "./lance-storage-options.js";
import { ReadOnlyPlugin } from "./read-only/read-only-plugin.js";

export interface LanceDbPluginOptions {
  /** Partitions, backlog, operation window. */
  readonly kit?: KitOptions;
  /** Durability and segments of the log. */
  readonly log?: Omit<FileLogOptions, "nextSeqMin">;
  /** Turns texts into terms; by default English ones. Rows of another one are analysed anew. */
  readonly analyzer?: Analyzer;
  /** What agents and tenants may hold: a store of more is `memory_full`. */
  readonly quotas?: HeldQuotas;
  /** Caches and maintenance of the tables. */
  readonly storage?: LanceStorageOptions;
  /**
   * Opens a folder also when parts of it are missing or another folder's, without them.
   * @default false
   */
  readonly acceptLoss?: boolean;
}

/**
 * A durable tier on LanceDB: episodic or semantic, as the host says at open. A store is one append to a log in the
 * tier's directory; LanceDB is written in bulk. One process owns the directory.
 *
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function createLanceDbPlugin(options: LanceDbPluginOptions = {}): KitPlugin {
  const { acceptLoss = false } = options;
  const storage = resolveLanceStorageOptions(options.storage ?? {});
  return new KitPlugin({
    name: "lancedb",
    version: "0.1.0",
    ...(options.kit === undefined ? {} : { options: options.kit }),
    ...(options.analyzer === undefined ? {} : { analyzer: options.analyzer }),
    ...(options.quotas === undefined ? {} : { quotas: options.quotas }),
    storage: (place) => createLanceStorage({ ...place, acceptLoss }, storage),
    openLog: fileLog(options.log),
    acceptLoss,
  });
}

/**
 * The same, which serves a folder as it is, and changes nothing in it: stores and forgets are `unsupported`. Takes as much room
 * among the temporary files as its log has. Not beside a process that writes to the folder.
 */
export function createReadOnlyLanceDbPlugin(options: LanceDbPluginOptions = {}): MemoryPlugin {
  return new ReadOnlyPlugin(createLanceDbPlugin(options));
}
