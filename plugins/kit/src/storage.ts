import { type Clock, MemoryError, type Scope } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { NumberColumns, Row } from "./row.js";

/** A text column, decoded on access. */
export interface Texts {
  at(row: number): string;
  /** Returns the byte length of a text without decoding it. */
  lengthAt(row: number): number;
}

/**
 * A batch of rows of one scope as columns: one array of `count` elements per field, `keyHashes` with 32 bytes
 * per row. `facets` is kept while the rows are in RAM, so it should reference nothing else.
 */
export interface RowColumns {
  readonly count: number;
  readonly numbers: NumberColumns;
  readonly keyHashes: Uint8Array;
  /** Byte length of each body. It limits how many bodies are read in one call. */
  readonly bodyBytes: Float64Array;
  group(index: number): string;
  /** Returns the id of the analyzer of the row's terms. */
  analyzer(index: number): string;
  embedder(index: number): string;
  readonly facets: Texts;
  /** Packed terms of all rows, concatenated, as bytes. They need not be aligned to four bytes. */
  readonly termBytes: Uint8Array;
  /** Start of each row's terms, followed by the end of the last ones, in units of four bytes. */
  readonly termOffsets: Uint32Array;
  /** All vectors, row-major. Rows without a vector of the embedder's dimensions are zero. */
  readonly vectors: Float32Array;
  hasVector(index: number): boolean;
}

/** Receives the rows of a scope as they are read. */
export interface RowSink {
  /**
   * Announces the approximate number of rows. Called before the first batch.
   * @returns whether the batches need vectors. Without them, `hasVector` still says which rows have one.
   */
  reserve(count: number): boolean;
  take(rows: RowColumns): void;
}

export interface ScopedRow {
  readonly scope: string;
  readonly row: Row;
}

/** Size of a row, and the attributes that determine its owner. */
export interface RowSize extends Pick<Row, "rowId" | "expiresAt" | "facets" | "group"> {
  readonly scope: string;
  readonly bodyBytes: number;
}

/** Ids of the analyzer and embedder that rows should have. */
export interface GenerationIds {
  readonly analyzer: string;
  /** Undefined in a host without an embedder. Vectors are then left unchanged. */
  readonly embedder: string | undefined;
}

/** Number of rows that have another generation, and their scopes. */
export interface Outdated {
  /** Number of all rows. */
  readonly rowCount: number;
  readonly outdatedCount: number;
  /** Ids of scopes with outdated rows, up to the limit. */
  readonly scopes: readonly string[];
}

/** A part of a storage that can go missing independently, such as a table. */
export interface StoragePart {
  readonly name: string;
  /** Id of the folder that the part belongs to. Undefined if none was recorded. */
  readonly owner: string | undefined;
  /** Increases with every durable change. A part with a lower version than before has lost data. */
  readonly version: number;
  /** Number of rows, as far as it is known. */
  readonly rowCount: number;
  /** Id that changes whenever the rows have changed. Undefined if it is unknown. */
  readonly contentId: string | undefined;
  /** The folder's `contentId` of this part when the part was last written. See `StorageContext`. */
  readonly keptContentId: string | undefined;
}

/** A part with damaged files. */
export interface DamagedPart {
  readonly name: string;
  /** Description of the damage, for an operator. */
  readonly reason: string;
}

/** Receives a number of bytes on disk that were read, and the name of their part. */
export type OnPartBytes = (count: number, part: string) => void;

/** A part of a storage, such as a table, and the result of reading it completely. */
export interface StoredPart {
  readonly name: string;
  readonly rows: readonly StoredRow[];
  /** Sentences that name unreadable or changed data. */
  readonly problems: readonly string[];
  /** Paths of files that the part does not need. */
  readonly orphans: readonly string[];
}

export interface StoredRow extends Pick<Row, "rowId" | "revision" | "keyHash"> {
  readonly scope: string;
}

/**
 * Lists the parts of a storage, so that the kit notices parts that went missing while the tier was closed.
 */
export interface StorageParts {
  /** Returns all parts. Called before `open`. */
  list(): Promise<readonly StoragePart[]>;
  /**
   * Records durably that the parts changed since the last call belong to the folder with this id, and returns
   * these parts. Called after `sync`. The returned versions are the synced ones.
   */
  recordOwner(folderId: string): Promise<readonly StoragePart[]>;
  /** Moves a part to a place where it is no longer found, and returns the new path. Called before `open`. */
  setAside(name: string): Promise<string>;
}

/** Directory, vector length and services that a storage is created with. */
export interface StorageContext {
  /**
   * The tier's directory. It exists and only this process uses it. `log`, `lock`, `format`, `reserve` and
   * `*.json` in it belong to the kit.
   */
  readonly directory: string;
  /** Vector length of the host's embedder, 1..65536. 128 in a host without an embedder. */
  readonly dimensions: number;
  /** Id of the embedder. "" in a host without an embedder. */
  readonly embedder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Returns the `contentId` that the folder has on disk for a part. A part is written before the folder and
   * stores this id next to its own.
   */
  readonly keptContentId?: (part: string) => string | undefined;
}

/** A batch of rows of one scope with their vectors. */
export interface VectorBatch {
  readonly rowIds: Float64Array;
  /** Row-major. Rows without a vector are zero. */
  readonly vectors: Float32Array;
  hasVector(index: number): boolean;
}

/** Searches stored vectors, so that a large partition need not keep them in RAM. */
export interface VectorStorage {
  /**
   * Returns vectors of rows of one scope by row id. Rows without a vector of the embedder's dimensions, and deleted
   * rows, are missing from the result.
   */
  read(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, Float32Array>>;
  /**
   * Returns about `count` rows of one scope that are near to `vector`, a unit vector, with their vectors. An index may
   * miss some of the nearest. Deleted rows may be among them.
   */
  nearest(scope: string, vector: Float32Array, count: number): Promise<ReadonlyMap<number, Float32Array>>;
  /** Passes all rows of one scope to `take`, in batches. Without vectors of the embedder's dimensions it passes none. */
  readAll(scope: string, take: (batch: VectorBatch) => void): Promise<void>;
}

/**
 * Stores the flushed rows of a durable tier. This is the interface that a new backend implements.
 * `registerStorageSuite` of `@membus/plugin-kit/storage-suite` tests the rules below.
 *
 * `scope` is a scope id (`scopeId` of the protocol), a text of up to some KiB. Two ids that differ in any
 * byte are two scopes, whatever case, signs or Unicode forms their names have. Calls of `append`, `remove`,
 * `removeFrom` and `sync` never overlap. Reads and `maintain` overlap with them and with one another. They
 * undo nothing, and they see every remaining row exactly once.
 *
 * Rows are immutable versions: `append` adds, `remove` deletes, and no row is updated. Several versions of
 * one key can exist at the same time. Rows are returned unchanged: numbers as doubles, texts (well-formed
 * Unicode, NUL included) and terms byte for byte. A storage need not keep vectors with another length than
 * the host's embedder. The `embedder` of such a row must then be neither "" nor the id of an embedder.
 *
 * The kit ensures that only one process uses the directory. It contains all stored data, and it may be copied
 * or moved while it is closed. After a crash at any moment, a storage opens with everything that was synced.
 * Later writes may be there in part, but each row completely or not at all. The kit removes such rows with
 * `removeFrom` and writes them again.
 *
 * A storage that cannot be reached now, such as one on another machine, throws `storageUnreachable` and
 * damages nothing. The log keeps the records until a later flush succeeds. Everything before the failed call
 * must be synced by the next `sync` that succeeds.
 */
export interface Storage {
  /** Without it, parts that go missing while the tier is closed are not noticed. */
  readonly parts?: StorageParts;
  /** Without it, all vectors of a partition must fit into RAM. */
  readonly vectors?: VectorStorage;
  /**
   * Tenants with damaged files. Their rows cannot be read or written now. Absent if this never happens. The
   * kit refuses their requests and serves all other tenants. The storage must keep writes to them until they
   * can be done. `scopes`, `expiredScopes` and `outdated` skip them. A repaired tenant stays in the set until
   * the next `maintain`.
   */
  readonly damagedTenants?: ReadonlySet<string>;
  /** Parts with the damaged files that an operator must restore or give up. */
  readonly damagedParts?: readonly DamagedPart[];
  /** Opens or creates the storage. `close` is called even if it fails. */
  open(): Promise<void>;
  /**
   * Passes every row of the scope to `into`, without bodies, in any order and any number of batches. Several
   * versions of a key may be among them.
   */
  load(scope: string, into: RowSink): Promise<void>;
  /** Returns the bodies of rows of one scope. Deleted rows are missing from the result. */
  readBodies(scope: string, rowIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /**
   * Adds rows of one or many scopes, up to some thousands. Row ids are unique in the tier and never present
   * already.
   */
  append(rows: readonly ScopedRow[]): Promise<void>;
  /** Deletes rows. Absent rows are ignored, because a removal is repeated after a crash. */
  remove(rowIds: readonly { readonly scope: string; readonly rowId: number }[]): Promise<void>;
  /**
   * Deletes all rows of these scopes with this id or a higher one. Called before an interrupted flush is
   * repeated with the same ids. Scopes may be empty.
   */
  removeFrom(rowId: number, scopes: readonly string[]): Promise<void>;
  /** Returns every tenant that may have rows, once. Without this method, a tier cannot be copied into a cluster or out of it. */
  tenants?(): readonly string[];
  /** Returns every scope of the tenant that has rows, once, without reading the scopes of other tenants. */
  scopes(tenant: string): Promise<readonly Scope[]>;
  /**
   * Passes the size of every row of the tenant to `take`, once, in any order. Reads few and small columns.
   */
  sizes(tenant: string, take: (size: RowSize) => void): Promise<void>;
  /** Returns up to `limit` distinct scopes with a row that has an expiry other than 0 and at most `now`. */
  expiredScopes(now: number, limit: number): Promise<readonly string[]>;
  /** Counts the rows of another generation (see `isOutdated`) and returns up to `limit` of their scopes. */
  outdated(ids: GenerationIds, limit: number): Promise<Outdated>;
  /** Makes all appends and removals durable, so that they survive a loss of power. */
  sync(): Promise<void>;
  /**
   * Compacts the storage. With `purge` it also erases the bytes of removed rows from disk, including rows
   * removed by `removeFrom` or by earlier processes. It erases the names of empty scopes and incomplete files
   * of a crash too. It may take long and runs concurrently with writes, but never with itself. With `tenant`
   * it handles only the rows of that tenant, and fails if removed rows may still be on disk. Returns whether
   * everything due for purging has left the disk.
   */
  maintain(options: { readonly purge: boolean; readonly tenant?: string }): Promise<boolean>;
  /**
   * Writes the durable state into `directory`, from which a storage can be opened. Files that never change
   * are linked (`linkTree` of `@membus/disk`). No write or maintenance runs during the call. Without this
   * method, the tier can only be copied while it is closed.
   */
  snapshot?(directory: string): Promise<void>;
  /**
   * Reads every part on disk, as last synced, without `open` and without changes. Without this method, only
   * the presence of parts is verified.
   * @param onBytes receives the progress within each part.
   */
  verify?(onBytes: OnPartBytes): AsyncIterable<StoredPart>;
  /**
   * Removes the remains of a tenant without rows, such as its table. Calls `leaves` with the part before
   * removing it. Absent if a tenant without rows leaves nothing.
   */
  dropTenant?(tenant: string, leaves: (part: string) => Promise<void>): Promise<void>;
  stats(): Readonly<Record<string, number | string>>;
  /** Closes the storage, even if it was not opened. Unsynced data may be lost. */
  close(): Promise<void>;
}

/** Milliseconds after which a request may find a damaged table in use again. Repairs take longer than requests. */
const DAMAGED_RETRY_AFTER_MS = 10_000;

/**
 * Creates the error for requests of a tenant with damaged files. The host's log names the files and the
 * remedy.
 */
export function tenantDamaged(cause?: unknown): MemoryError {
  const message =
    "the stored data of this tenant is damaged. The host's operator must repair it, see the host's log";
  const detail = { reason: "storage_damaged", retry_after_ms: DAMAGED_RETRY_AFTER_MS };
  return new MemoryError("unavailable", message, detail, { cause });
}

/** Milliseconds after which a request may find an unreachable storage in use again. */
const RETRY_AFTER_MS = 1_000;

/** Creates the error for requests while a storage cannot be reached. The host's log has the cause. */
export function storageUnreachable(cause: unknown): MemoryError {
  const message = "the host cannot reach its storage now. Send the same request with the same id again";
  const detail = { reason: "storage_unreachable", retry_after_ms: RETRY_AFTER_MS };
  return new MemoryError("unavailable", message, detail, { cause });
}
