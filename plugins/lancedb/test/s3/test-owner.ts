import { MemoryError } from "@membus/protocol";
import type { TableOwnership, TableRecord, TableRecords } from "../../src/s3.js";

interface Entry {
  readonly epoch: number;
  readonly revision: number;
  /** Undefined for a removed record. */
  readonly record: TableRecord | undefined;
}

/** Records of a manifest that several owners share. */
export class SharedRecords {
  readonly entries = new Map<string, Entry>();
}

/** An owner of tables in one epoch. It owns them until it loses them. */
export class TestOwner implements TableRecords, TableOwnership {
  isOwner = true;
  /** Runs once before the next record is replaced. */
  beforeUpdate: (() => Promise<unknown>) | undefined;
  readonly epoch: number;
  readonly #entries: Map<string, Entry>;

  constructor(shared: SharedRecords, epoch: number) {
    this.epoch = epoch;
    this.#entries = shared.entries;
  }

  mustOwn(): void {
    if (!this.isOwner) throw new MemoryError("unavailable", "moved", { reason: "shard_moved" });
  }

  async untilOwned(): Promise<void> {
    this.mustOwn();
  }

  async list(): Promise<ReadonlyMap<string, TableRecord>> {
    this.mustOwn();
    return new Map([...this.#entries].flatMap(([name, { record }]) => (record ? [[name, record]] : [])));
  }

  async read(name: string): Promise<TableRecord | undefined> {
    this.mustOwn();
    return this.#get(name)?.record;
  }

  async update(
    name: string,
    change: (found: TableRecord | undefined) => Promise<TableRecord | undefined>,
  ): Promise<void> {
    const before = this.beforeUpdate;
    this.beforeUpdate = undefined;
    await before?.();
    for (;;) {
      this.mustOwn();
      const found = this.#get(name);
      const record = await change(found?.record);
      this.mustOwn();
      if (this.#get(name)?.revision !== found?.revision) continue;
      this.#entries.set(name, { epoch: this.epoch, revision: (found?.revision ?? 0) + 1, record });
      return;
    }
  }

  #get(name: string): Entry | undefined {
    const found = this.#entries.get(name);
    if (found !== undefined && found.epoch > this.epoch) this.isOwner = false;
    this.mustOwn();
    return found;
  }
}
