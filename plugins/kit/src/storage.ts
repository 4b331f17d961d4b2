import { type Clock, type Logger, MemoryError, type Scope } from "@membus/protocol";
import type { NumberColumns, Row } from "./row.js";

/** Texts of a column, by row, decoded when one is asked for. */
export interface Texts {
  at(row: number): string;
  /** Bytes of the text, without decoding it. */
  lengthAt(row: number): number;
}

/**
 * Rows of one scope in bulk, as a storage reads them: one array of `count` elements per field, `keyHashes` 32 bytes a
 * row. `facets` are kept while the rows are in RAM, so they should hold on to nothing else.
 */
export interface RowColumns {
  readonly count: number;
  readonly numbers: NumberColumns;
  readonly keyHashes: Uint8Array;
  /** Bytes of each body: what is read at once is bounded by them. */
  readonly bodyBytes: Float64Array;
  group(index: number): string;
  /** The analyzer of the row's terms. */
  analyzer(index: number): string;
  embedder(index: number): string;
  readonly facets: Texts;
  /** Packed terms of all rows, row after row, as bytes: they need not stand where numbers of four bytes may. */
  readonly termBytes: Uint8Array;
  /** Where each row's terms begin, and after them where the last ones end, in numbers of four bytes. */
  readonly termOffsets: Uint32Array;
  /** All vectors, row-major; rows without one of the embedder's dimensions are zero there. */
  readonly vectors: Float32Array;
  hasVector(index: number): boolean;
}

/** What takes in the rows of a scope as they are read. */
export interface RowSink {
  /** About how many rows there are; before the first of them. */
  reserve(count: number): void;
  take(rows: RowColumns): void;
}

export interface ScopedRow {
  readonly scope: string;
  readonly row: Row;
}

/** What a row takes, and who holds it. */
export interface RowSize extends Pick<Row, "rowId" | "expiresAt" | "facets"> {
  readonly scope: string;
  readonly bodyBytes: number;
}

/** Whose terms and vectors rows should have. */
export interface GenerationIds {
  readonly analyzer: string;
  /** Undefined in a host without one: then vectors are left as they are. */
  readonly embedder: string | undefined;
}

/** How far a storage is from a generation. */
export interface Outdated {
  /** Of all rows. */
  readonly rowCount: number;
  readonly outdatedCount: number;
  /** Ids of scopes that hold outdated rows, up to the limit. */
  readonly scopes: readonly string[];
}

/** A part of a storage that can go missing by itself, such as a table. */
export interface StoragePart {
  readonly name: string;
  /** The folder that it was settled for; undefined for one that never was. */
  readonly owner: string | undefined;
  /** Grows with what is on disk for good: a part of a lower one than before is not the same any more. */
  readonly version: number;
  /** As far as it is known. */
  readonly rowCount: number;
  /** Another one whenever the rows have changed; undefined where that is not known. */
  readonly contentId: string | undefined;
  /** What the folder said of `contentId`, as `StoragePlace` tells, when the part was last written. */
  readonly keptContentId: string | undefined;
}

/** A part of a storage, such as a table, and what reading all of it has found. */
export interface StoredPart {
  readonly name: string;
  readonly rows: readonly StoredRow[];
  /** Sentences that name what cannot be read, or is not what it was. */
  readonly problems: readonly string[];
  /** Paths of files that it does not need. */
  readonly orphans: readonly string[];
}

export interface StoredRow extends Pick<Row, "rowId" | "revision" | "keyHash"> {
  readonly scope: string;
}

/** Tells what a storage consists of, so that the kit notices what goes missing while nothing is open. */
export interface StorageParts {
  /** All there are. Called before `open`. */
  list(): Promise<readonly StoragePart[]>;
  /**
   * Those that changed since the last call, once it is on disk for good that they belong to the folder of this id. Called
   * after `sync`, whose versions they have.
   */
  settled(folderId: string): Promise<readonly StoragePart[]>;
  /** Moves a part out of the way, where it is not found any more. Called before `open`. Returns where to. */
  setAside(name: string): Promise<string>;
}

/** Where a storage keeps its rows, and for which vectors. */
export interface StoragePlace {
  /** The tier's, which is there and this process's alone. `log`, `lock`, `format`, `reserve` and `*.json` in it are the kit's. */
  readonly directory: string;
  /** Of the host's embedder, 1..65536; 128 in a host that has none. */
  readonly dimensions: number;
  /** The embedder's id; "" in a host that has none. */
  readonly embedder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The `contentId` that the folder has on disk for a part. A part is written before the folder, and keeps it beside its own. */
  readonly keptContentId?: (part: string) => string | undefined;
}

/**
 * Where a durable tier keeps its flushed rows: all that a new backend must write. `registerStorageSuite` of
 * `@membus/plugin-kit/storage-suite` tests what is promised here.
 *
 * `scope` is a scope id (`scopeId` of the protocol), a text of up to some KiB: two that differ in any byte are two scopes,
 * whatever case, signs or Unicode forms their names have. `append`, `remove`, `removeFrom` and `sync` never overlap; reads
 * and `maintain` overlap with them and with one another, undo nothing, and see every row that stays, once.
 *
 * Rows are immutable versions: `append` adds, `remove` takes away, nothing is updated; several of one key stand side by side.
 * They come back as they were: numbers as doubles, texts (well-formed Unicode, NUL included) and terms byte for byte.
 * Vectors of other dimensions than the host's embedder has need not be kept; `embedder` of such a row must then be neither ""
 * nor any embedder's id.
 *
 * The directory has one owner at a time, which the kit sees to; all that is stored is in it, and it may be copied or moved while
 * it is closed. Killed at any moment, a storage opens with all that was synced; of writes that came after, any part may be
 * there, each row whole or not at all. The kit takes those back by `removeFrom`, and does them again.
 */
export interface Storage {
  /** Without it, parts that go missing while nothing is open are not noticed. */
  readonly parts?: StorageParts;
  /**
   * Tenants whose rows cannot be read or written now, as their files are damaged; absent: never any. The kit refuses
   * their requests, and serves all others. Writes to them must be kept until they can be done; `scopes`,
   * `expiredScopes` and `outdated` leave them out. One that is served again stays in the set until the next `maintain`.
   */
  readonly damagedTenants?: ReadonlySet<string>;
  /** Opens or creates what is needed. When it fails, `close` is called all the same. */
  open(): Promise<void>;
  /**
   * Passes every row of the scope to `into`, bodies left out, in any order and in as many batches as suits; several
   * versions of a key may be among them.
   */
  load(scope: string, into: RowSink): Promise<void>;
  /** The bodies of rows of one scope; a row that is gone is missing from the answer. */
  readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Rows of one or many scopes, up to some thousands. No id is there already: ids are unique in the tier. */
  append(rows: readonly ScopedRow[]): Promise<void>;
  /** The same for rows that go. Those that are not there change nothing: after a crash a removal is done again. */
  remove(rowIds: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void>;
  /**
   * Takes away every row of these scopes with this id or a higher one: a flush that was cut short is done again, with the same
   * ids. Scopes may have no rows.
   */
  removeFrom(rowId: number, scopes: readonly string[]): Promise<void>;
  /** Every scope of the tenant that has rows, once, without a look at those of others. */
  scopes(tenant: string): Promise<readonly Scope[]>;
  /** Passes on what every row of the tenant takes, once, in any order: a look at few and small columns. */
  sizes(tenant: string, take: (size: RowSize) => void): Promise<void>;
  /** Up to `limit` scopes, each once, that hold a row whose expiry is not 0 and at most `now`. */
  expiredScopes(now: number, limit: number): Promise<readonly string[]>;
  /** The rows that are of another generation, as `isOutdated` tells, and up to `limit` of their scopes. */
  outdated(ids: GenerationIds, limit: number): Promise<Outdated>;
  /** What was appended and removed so far is on disk for good, and survives a loss of power. */
  sync(): Promise<void>;
  /**
   * Compacts; `purge` also drops the bytes of rows removed before from disk, by `removeFrom` and by former processes too,
   * with the names of scopes that have none left and what a kill has left of files. May take long, and goes on beside
   * writes; never overlaps with itself. With `tenant` it is about the rows of that tenant alone, and fails where any that
   * was removed may still be there. Returns whether all that it was to purge, now or before, has left the disk.
   */
  maintain(options: { readonly purge: boolean; readonly tenant?: string }): Promise<boolean>;
  /**
   * Puts what it has on disk for good into `directory`, from which it opens in the place of the tier's own, as links
   * (`linkTree` of `@membus/disk`) where files never change. Nothing is written and no upkeep goes on meanwhile. Without
   * it, the tier is copied only while it is closed.
   */
  snapshot?(directory: string): Promise<void>;
  /**
   * Reads every part that is on disk, as it was last synced, without `open` and without changing anything. Without it, only
   * the parts' presence is verified.
   */
  verify?(): AsyncIterable<StoredPart>;
  /**
   * Removes what is left of a tenant without rows, such as its table. `leaves` is called before, with the part that goes.
   * Absent where a tenant without rows leaves nothing.
   */
  dropTenant?(tenant: string, leaves: (part: string) => Promise<void>): Promise<void>;
  stats(): Readonly<Record<string, number | string>>;
  /** Also of one that was not opened. What was not synced may be lost. */
  close(): Promise<void>;
}

/** What the tenant is told whose files are damaged; which ones, and what to do, is in the host's log. */
export function tenantDamaged(cause?: unknown): MemoryError {
  const message = "what is stored of this tenant is damaged, and waits for the host's operator";
  return new MemoryError("unavailable", message, { reason: "storage_damaged" }, { cause });
}
