import type { Storage } from "@membus/plugin-kit";
import { silentLogger, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { createLanceStorage, type LanceStorageOptions } from "../../src/index.js";
import type { TableBucket } from "../../src/s3.js";
import { DIMENSIONS } from "../storage-fixture.js";
import { SharedRecords, TestOwner } from "./test-owner.js";

/** Tables of one owner. */
export interface Owned {
  readonly storage: Storage;
  readonly owner: TestOwner;
}

/** Storages of successive owners of the tables in a bucket. */
export class OwnedTables {
  readonly bucket: TableBucket;
  logger: Logger = silentLogger;
  readonly #storages = new Set<Storage>();
  readonly #records = new Map<string, SharedRecords>();
  #epoch = 0;

  constructor(bucket: TableBucket) {
    this.bucket = bucket;
  }

  /** Takes the tables of a manifest over and opens them. The former owner is not told. */
  async takeOver(
    id = "manifest",
    options: LanceStorageOptions = {},
    givenUp: readonly string[] = [],
  ): Promise<Owned> {
    const shared = this.#records.get(id) ?? new SharedRecords();
    this.#records.set(id, shared);
    const owner = new TestOwner(shared, ++this.#epoch);
    const services = { clock: systemClock, logger: this.logger };
    const store = this.bucket.store({ id, records: owner, ownership: owner, ...services });
    const place = {
      directory: "unused",
      dimensions: DIMENSIONS,
      embedder: "static",
      ...services,
      store,
      givenUp,
    };
    const storage = createLanceStorage(place, options);
    await storage.open();
    this.#storages.add(storage);
    return { storage, owner };
  }

  async close(): Promise<void> {
    for (const storage of this.#storages) await storage.close().catch(() => undefined);
  }
}
