import type { TableRecord, TableRecords } from "@membus/plugin-lancedb/s3";
import type { EpochRecord, EpochRecords } from "./epoch-records.js";

/** Returns the key of a table's record. `*` matches the records of all tables. */
export function tableKey(keyPrefix: string, name: string): string {
  return `${keyPrefix}.table.${name === "*" ? name : Buffer.from(name).toString("base64url")}`;
}

/**
 * Records of the tables of a shard's tier. `KvManifest` has claimed the records of earlier epochs. A record of an earlier
 * epoch was therefore written after the take-over, and counts as absent.
 */
export class KvTableRecords implements TableRecords {
  readonly #records: EpochRecords;
  readonly #keyPrefix: string;

  constructor(records: EpochRecords, keyPrefix: string) {
    this.#records = records;
    this.#keyPrefix = keyPrefix;
  }

  async list(): Promise<ReadonlyMap<string, TableRecord>> {
    const found = await this.#records.list(tableKey(this.#keyPrefix, "*"));
    return new Map(
      found.flatMap((record): [string, TableRecord][] => {
        const table = this.#tableOf(record);
        return table === undefined ? [] : [[nameOf(record), table]];
      }),
    );
  }

  async read(name: string): Promise<TableRecord | undefined> {
    return this.#tableOf(await this.#records.read(tableKey(this.#keyPrefix, name)));
  }

  async update(
    name: string,
    change: (found: TableRecord | undefined) => Promise<TableRecord | undefined>,
  ): Promise<void> {
    const key = tableKey(this.#keyPrefix, name);
    const table = await this.#records.claim(
      key,
      async (found) => (await change(this.#tableOf(found))) ?? null,
    );
    if (table === null) await this.#records.remove({ key });
  }

  /** Null is a record that is about to be removed. */
  #tableOf(record: EpochRecord | undefined): TableRecord | undefined {
    if (record?.epoch !== this.#records.epoch) return undefined;
    return (record.content as TableRecord | null) ?? undefined;
  }
}

function nameOf({ key }: EpochRecord): string {
  return Buffer.from(key.slice(key.lastIndexOf(".") + 1), "base64url").toString();
}
