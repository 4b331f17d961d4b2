import { type FileLogOptions, fileLog } from "@membus/disk";
import {
  type Analyzer,
  type KitOptions,
  KitPlugin,
  type StorageQuotaOptions,
  type TierPlace,
} from "@membus/plugin-kit";
import { parseOptions } from "@membus/protocol";
import type { MemoryPlugin, PluginServices } from "@membus/protocol/plugin";
import { createLanceStorage } from "./lance-storage.js";
import { type LanceStorageOptions, LanceStorageOptionsSchema } from "./lance-storage-options.js";
import { ReadOnlyPlugin } from "./read-only/read-only-plugin.js";

export interface LanceDbPluginOptions {
  /** Options of the kit: partitions, backlog, operation window. */
  readonly kit?: KitOptions;
  /** Options of the log: durability and segments. */
  readonly log?: Omit<FileLogOptions, "nextSeqMin">;
  /** Splits texts into terms, by default for English. Rows of another analyzer are reindexed. */
  readonly analyzer?: Analyzer;
  /** Quotas of agents and tenants. A store beyond them fails with `memory_full`. */
  readonly quotas?: StorageQuotaOptions;
  /** Options of the tables: caches and maintenance. */
  readonly storage?: LanceStorageOptions;
  /** Opens a folder without its missing parts, and without parts of another folder. False by default. */
  readonly acceptLoss?: boolean;
  /** Opens a tier that is not in a folder. `log` and `storage` then have no effect. */
  readonly openPlace?: (services: PluginServices) => Promise<TierPlace>;
}

/**
 * Creates a durable tier on LanceDB, episodic or semantic as the host defines at open. A store is one append
 * to a log in the tier's directory. LanceDB is written in bulk. Only one process may use the directory.
 * @throws {TypeError} For an unknown option or a value out of range.
 */
export function createLanceDbPlugin(options: LanceDbPluginOptions = {}): KitPlugin {
  const { acceptLoss = false } = options;
  const storage = parseOptions(LanceStorageOptionsSchema, options.storage ?? {});
  return new KitPlugin({
    name: "lancedb",
    version: "0.1.0",
    ...(options.kit === undefined ? {} : { options: options.kit }),
    ...(options.analyzer === undefined ? {} : { analyzer: options.analyzer }),
    ...(options.quotas === undefined ? {} : { quotas: options.quotas }),
    storage: (place) => createLanceStorage({ ...place, acceptLoss }, storage),
    openLog: fileLog(options.log),
    acceptLoss,
    ...(options.openPlace === undefined ? {} : { openPlace: options.openPlace }),
  });
}

/**
 * Creates a plugin that serves a folder read-only and changes nothing in it. Stores and forgets are
 * `unsupported`. It needs temporary disk space of the size of the folder's log. No process may write to the
 * folder at the same time.
 */
export function createReadOnlyLanceDbPlugin(options: LanceDbPluginOptions = {}): MemoryPlugin {
  return new ReadOnlyPlugin(createLanceDbPlugin(options));
}
