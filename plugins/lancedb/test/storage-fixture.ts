import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Row, RowColumns, ScopedRow, Storage } from "@membus/plugin-kit";
import { type Scope, scopeId, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { createLanceStorage, type LanceStorageOptions } from "../src/index.js";
import type { Disk } from "../src/store/disk.js";
import { FolderStore } from "../src/store/folder-store.js";

export const DIMENSIONS = 4;

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export interface OpenOptions extends LanceStorageOptions {
  readonly dimensions?: number;
  readonly embedder?: string;
  readonly disk?: Disk;
}

/** Directories and storages of one test, removed at its end. */
export class StorageFixture {
  readonly #storages = new Set<Storage>();
  readonly #directories: string[] = [];

  async directory(): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), "membus-lance-"));
    this.#directories.push(made);
    return made;
  }

  async open(directory: string, options: OpenOptions = {}): Promise<Storage> {
    const { disk, dimensions = DIMENSIONS, embedder = "static", ...settings } = options;
    const place = { directory, dimensions, embedder, clock: systemClock, logger: silent };
    const store = new FolderStore({ ...place, ...(disk === undefined ? {} : { disk }) });
    const storage = createLanceStorage({ ...place, store }, settings);
    await storage.open();
    this.#storages.add(storage);
    return storage;
  }

  async reopen(storage: Storage, directory: string, options?: OpenOptions): Promise<Storage> {
    await storage.close();
    this.#storages.delete(storage);
    return this.open(directory, options);
  }

  /** Copies selected files of a directory, as another process may find it. */
  async copy(from: string, isKept: (file: string) => boolean): Promise<string> {
    const directory = await this.directory();
    for (const file of (await listFiles(from)).filter(isKept)) {
      await mkdir(dirname(join(directory, file)), { recursive: true });
      await copyFile(join(from, file), join(directory, file));
    }
    return directory;
  }

  async end(): Promise<void> {
    for (const storage of this.#storages) await storage.close();
    for (const directory of this.#directories) await rm(directory, { recursive: true, force: true });
    this.#storages.clear();
  }
}

export function episodic(tenant: string, agent = "alice", namespace = "default"): Scope {
  return { tier: "episodic", tenant, agent, namespace };
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

export function makeRow(rowId: number, changes: Partial<Row> = {}): Row {
  return {
    rowId,
    keyHash: hashOf(`key ${rowId}`),
    revision: 1_700_000_000_000_000 + rowId,
    seq: rowId,
    created: 1_700_000_000.25,
    updated: 1_700_000_001.5,
    occurredAt: 1_600_000_000,
    expiresAt: 0,
    importance: 0.5,
    group: "",
    facets: `{"key":{"id":${rowId}},"tags":[],"source":"alice","author":"alice"}`,
    body: `{"content":"body of ${rowId}","ttl":null}`,
    terms: Uint32Array.of(rowId, 4_000_000_000),
    analyzer: "english",
    embedder: "static",
    vector: Float32Array.of(rowId, 0.5, -0.5, 0.25),
    ...changes,
  };
}

export function scoped(scope: Scope, ...rows: readonly Row[]): ScopedRow[] {
  return rows.map((row) => ({ scope: scopeId(scope), row }));
}

/** Returns every row of a scope as `load` returns it, ordered by id. Bodies are not loaded. */
export async function loadRows(storage: Storage, scope: Scope): Promise<Omit<Row, "body">[]> {
  const rows: Omit<Row, "body">[] = [];
  await storage.load(scopeId(scope), {
    reserve: () => true,
    take: (columns) => rows.push(...rowsOf(columns)),
  });
  return rows.sort((a, b) => a.rowId - b.rowId);
}

function rowsOf(columns: RowColumns): Omit<Row, "body">[] {
  const size = columns.vectors.length / columns.count;
  const { termBytes, termOffsets } = columns;
  const terms = new Uint32Array(new Uint8Array(termBytes).buffer);
  return Array.from({ length: columns.count }, (_, index) => ({
    rowId: columns.numbers.rowId[index]!,
    keyHash: Buffer.from(columns.keyHashes.subarray(index * 32, index * 32 + 32)).toString("hex"),
    revision: columns.numbers.revision[index]!,
    seq: columns.numbers.seq[index]!,
    created: columns.numbers.created[index]!,
    updated: columns.numbers.updated[index]!,
    occurredAt: columns.numbers.occurredAt[index]!,
    expiresAt: columns.numbers.expiresAt[index]!,
    importance: columns.numbers.importance[index]!,
    group: columns.group(index),
    facets: columns.facets.at(index),
    terms: terms.slice(termOffsets[index], termOffsets[index + 1]),
    analyzer: columns.analyzer(index),
    embedder: columns.embedder(index),
    vector: columns.hasVector(index) ? columns.vectors.slice(index * size, index * size + size) : null,
  }));
}

export async function loadIds(storage: Storage, scope: Scope): Promise<number[]> {
  return (await loadRows(storage, scope)).map(({ rowId }) => rowId);
}

/** Returns the relative paths of all files below a directory. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1)).sort();
}

/** A draft gets its final name when it is complete. */
function emptyIfDeleted(error: NodeJS.ErrnoException): Buffer {
  if (error.code === "ENOENT") return Buffer.alloc(0);
  throw error;
}

/** Returns the files below a directory that contain a text. */
export async function filesWith(directory: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const file of await listFiles(directory)) {
    const bytes = await readFile(join(directory, file)).catch(emptyIfDeleted);
    if (bytes.includes(text)) found.push(file);
  }
  return found;
}
