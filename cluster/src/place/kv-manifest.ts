import type { FolderFacts, ManifestStore, RecordedPart } from "@membus/plugin-kit";
import pLimit from "p-limit";
import type { EpochRecord, EpochRecords } from "./epoch-records.js";
import { tableKey } from "./kv-table-records.js";

/** Parts that are written at the same time. */
const CONCURRENT_WRITES = 16;

/** The facts without parts. Each part has its own record, because a record has at most 1 MiB. */
interface Head {
  /** Null until the first write. */
  readonly facts: Omit<FolderFacts, "parts"> | null;
  /** While a take-over is incomplete: the first epoch with parts that belong to the facts. */
  readonly partsFrom?: number;
}

/**
 * Facts of a tier of a shard. Parts are written before the facts, so the parts can be ahead of `flushedSeq`, as
 * the tables of a folder can be.
 */
export class KvManifest implements ManifestStore {
  readonly #records: EpochRecords;
  readonly #keyPrefix: string;
  readonly #limit = pLimit(CONCURRENT_WRITES);
  #parts = new Map<string, RecordedPart>();

  constructor(records: EpochRecords, keyPrefix: string) {
    this.#records = records;
    this.#keyPrefix = keyPrefix;
  }

  /** Also takes the facts and all parts away from earlier epochs. */
  async claim(make: () => FolderFacts): Promise<FolderFacts> {
    const { epoch } = this.#records;
    const { facts, partsFrom = epoch } = await this.#records.claim(this.#headKey, (found) => {
      const head = (found?.content ?? { facts: null }) as Head;
      return { facts: head.facts, partsFrom: head.partsFrom ?? found?.epoch ?? epoch };
    });
    // Without facts, nothing says that the parts are complete.
    await this.#claimParts(facts === null ? epoch + 1 : partsFrom);
    await this.#records.write(this.#headKey, { facts } satisfies Head);
    return facts === null ? make() : { ...facts, parts: [...this.#parts.values()] };
  }

  async write({ parts, ...facts }: FolderFacts): Promise<void> {
    const names = new Set(parts.map(({ name }) => name));
    const removed = [...this.#parts.keys()].filter((name) => !names.has(name));
    const changed = parts.filter((part) => this.#parts.get(part.name) !== part);
    await this.#all(changed, (part) => this.#writePart(part));
    await this.#all(removed, async (name) => {
      await this.#records.remove({ key: this.#partKey(name) });
      this.#parts.delete(name);
    });
    await this.#records.write(this.#headKey, { facts } satisfies Head);
  }

  get #headKey(): string {
    return `${this.#keyPrefix}.facts`;
  }

  #partKey(name: string): string {
    return `${this.#keyPrefix}.part.${Buffer.from(name).toString("base64url")}`;
  }

  /** Also claims the tables. An earlier epoch may have written records after it lost the shard. Those are older than `fromEpoch`. */
  async #claimParts(fromEpoch: number): Promise<void> {
    const claimAll = async (filter: string) => {
      const found = await this.#records.list(filter);
      return this.#all(found, (record) => this.#claimRecord(record, fromEpoch));
    };
    const parts = (await claimAll(`${this.#keyPrefix}.part.*`)) as (RecordedPart | undefined)[];
    this.#parts = new Map(parts.flatMap((part) => (part === undefined ? [] : [[part.name, part]])));
    await claimAll(tableKey(this.#keyPrefix, "*"));
  }

  async #claimRecord(record: EpochRecord, fromEpoch: number): Promise<unknown> {
    if (record.epoch >= fromEpoch) return this.#records.claim(record.key, (now) => (now ?? record).content);
    await this.#records.remove(record);
    return undefined;
  }

  async #writePart(part: RecordedPart): Promise<void> {
    await this.#records.write(this.#partKey(part.name), part);
    this.#parts.set(part.name, part);
  }

  #all<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    return Promise.all(items.map((item) => this.#limit(() => work(item))));
  }
}
