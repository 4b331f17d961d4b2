import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@membus/protocol";
import type { Storage, StorageContext } from "../storage.js";
import type { ResolvedStorageSuiteOptions, StorageUnderTest } from "./storage-under-test.js";
import { DIMENSIONS, EMBEDDER } from "./test-rows.js";

/** Folders and storages of one check, removed at its end. */
export class Workbench {
  readonly #storages = new Set<Storage>();
  readonly #directories: string[] = [];

  constructor(
    readonly subject: StorageUnderTest,
    readonly options: ResolvedStorageSuiteOptions,
  ) {}

  async directory(): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), "membus-storage-"));
    this.#directories.push(made);
    return made;
  }

  async open(directory: string): Promise<Storage> {
    const storage = this.subject.createStorage(contextAt(directory));
    this.#storages.add(storage);
    await storage.open();
    return storage;
  }

  async close(storage: Storage): Promise<void> {
    this.#storages.delete(storage);
    await storage.close();
  }

  async reopen(storage: Storage, directory: string): Promise<Storage> {
    await this.close(storage);
    return this.open(directory);
  }

  async end(): Promise<void> {
    const closed = await Promise.allSettled([...this.#storages].map((storage) => storage.close()));
    this.#storages.clear();
    for (const directory of this.#directories) await rm(directory, { recursive: true, force: true });
    for (const result of closed) if (result.status === "rejected") throw result.reason;
  }
}

export function contextAt(directory: string): StorageContext {
  return { directory, dimensions: DIMENSIONS, embedder: EMBEDDER, clock: systemClock, logger: silentLogger };
}

/** Syncs, then purges repeatedly, like the kit. Returns whether a purge completed. */
export async function purge(storage: Storage, tenant?: string): Promise<boolean> {
  await storage.sync();
  for (let attempt = 0; attempt < PURGES_MAX; attempt++) {
    if (await storage.maintain({ purge: true, ...(tenant !== undefined && { tenant }) })) return true;
  }
  return false;
}

const PURGES_MAX = 10;
