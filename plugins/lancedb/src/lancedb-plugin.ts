import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type Analyzer,
  type DurableParts,
  type FileLogOptions,
  type KitOptions,
  KitPlugin,
  openFileLog,
  type Storage,
} from "@membus/plugin-kit";
import { MemoryError, type MemoryPlugin, type PluginServices } from "@membus/protocol";
import { lockDirectory } from "./directory-lock.js";
import { checkFormat } from "./format-file.js";
import { createLanceStorage } from "./lance-storage.js";
import type { LanceStorageOptions } from "./lance-storage-options.js";

export interface LanceDbPluginOptions {
  /** Partitions, backlog, operation window. */
  readonly kit?: KitOptions;
  /** Durability and segments of the log. */
  readonly log?: Omit<FileLogOptions, "nextSeqMin">;
  /** Turns texts into terms; by default English ones. Rows of another one are analysed anew. */
  readonly analyzer?: Analyzer;
  /** Caches and maintenance of the tables. */
  readonly storage?: LanceStorageOptions;
}

/** Dimensions of the tables of a host that has no embedder; they stay empty. */
const DIMENSIONS_WITHOUT_EMBEDDER = 128;

/**
 * A durable tier on LanceDB: episodic or semantic, as the host says at open. A store is one append to a log in the
 * tier's directory; LanceDB is written in bulk. One process owns the directory.
 *
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function createLanceDbPlugin(options: LanceDbPluginOptions = {}): MemoryPlugin {
  return new KitPlugin({
    name: "lancedb",
    version: "0.1.0",
    ...(options.kit === undefined ? {} : { options: options.kit }),
    ...(options.analyzer === undefined ? {} : { analyzer: options.analyzer }),
    durable: (services) => openDirectory(options, services),
  });
}

async function openDirectory(options: LanceDbPluginOptions, services: PluginServices): Promise<DurableParts> {
  const directory = services.dataDirectory;
  if (directory === undefined)
    throw new MemoryError("unavailable", `tier ${services.tier} needs a data directory`);
  await mkdir(directory, { recursive: true });
  const lock = await lockDirectory(directory, services);
  try {
    await checkFormat(directory);
    const storage = await openStorage(directory, options, services);
    const openLog: DurableParts["openLog"] = ({ nextSeqMin, onRecord }) =>
      openFileLog(join(directory, "log"), { ...options.log, nextSeqMin }, { ...services, onRecord });
    return { storage, openLog, directory, release: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openStorage(
  directory: string,
  options: LanceDbPluginOptions,
  services: PluginServices,
): Promise<Storage> {
  const dimensions = services.embedder?.dimensions ?? DIMENSIONS_WITHOUT_EMBEDDER;
  const embedder = services.embedder?.id ?? "";
  const storage = createLanceStorage({ directory, dimensions, embedder, ...options.storage }, services);
  await storage.open();
  return storage;
}
