import { hash } from "node:crypto";
import { type AgentMemory, type CallOptions, type EntryInput, toMemoryError } from "@membus/agent-client";
import type { Clock, Filter, ListItem, MemoryEntry } from "@membus/protocol";
import { isHead, readRecord, recordEntry } from "@membus/protocol/records";
import { kindIs } from "../kind-filter.js";
import { LongRecords } from "../long-records/index.js";
import { FileError } from "./file-error.js";
import { type FileLayout, fileLayout, type ResolvedFilesOptions } from "./file-layout.js";
import { shownPath } from "./file-path.js";

/** Options of a call. The client sets its time limits. */
export type FileCall = Pick<CallOptions, "signal">;

/** A file as it is stored. `path` is the one in its key, without a leading `/`. */
export interface StoredFile {
  readonly path: string;
  readonly text: string;
  readonly revision: number;
  /** The entry that was read. Absent for a new file. */
  readonly entry: MemoryEntry | undefined;
}

/** A file without its text. */
export interface FileSize {
  readonly path: string;
  /** Bytes of the text in UTF-8. */
  readonly bytes: number;
}

export const IS_FILE = kindIs("file");
const IS_HEAD: Filter = { field: "metadata.parts", op: "exists", value: true };

/** Entries of one page. An entry has up to 256 KiB. */
const PAGE = 50;
const NAMES_PAGE = 1_000;

/** The files of one namespace or subtree as records of the host. Files larger than an entry are kept in parts. */
export class FileStore {
  readonly options: ResolvedFilesOptions;
  readonly layout: FileLayout;
  readonly clock: Clock;
  readonly #memory: AgentMemory;

  constructor(memory: AgentMemory, options: ResolvedFilesOptions, clock: Clock) {
    this.#memory = memory;
    this.options = options;
    this.layout = fileLayout(options);
    this.clock = clock;
  }

  /** @throws {FileError} "damaged". */
  async read(path: string, call: FileCall): Promise<StoredFile | undefined> {
    const request = { keys: [{ file: path }], where: IS_FILE, include: ["context" as const] };
    for await (const entry of this.#records(path).entries(request, call)) {
      const file = readFile(entry);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  /** Yields the files in and below a folder, in no order. @throws {FileError} "damaged". */
  async *each(folder: string, where: Filter, call: FileCall): AsyncGenerator<StoredFile> {
    for await (const entry of this.#entries(folder, where, call)) {
      const whole = isHead(entry) ? await this.#recordsIn(entry.namespace).whole(entry) : entry;
      const file = whole && readFile(whole);
      if (file !== undefined) yield file;
    }
  }

  /** Yields the files in and below a folder without their texts, in no order. */
  async *sizes(folder: string, call: FileCall): AsyncGenerator<FileSize> {
    for await (const { key, metadata } of this.#entries(folder, IS_FILE, call)) {
      const { file } = key as { readonly file: string };
      yield { path: file, bytes: Number(metadata?.bytes) };
    }
  }

  /** Yields the paths of the files in and below a folder, by name. */
  paths(folder: string, where: Filter, call: FileCall): AsyncGenerator<ListItem> {
    return this.#names(this.#below(folder, where), call);
  }

  /** Yields the paths of the files of one namespace, by name. */
  pathsIn(namespace: string, call: FileCall): AsyncGenerator<ListItem> {
    return this.#names({ namespace, where: IS_FILE }, call);
  }

  /** Yields the namespaces of the folders in a namespace, each with the totals of all files below it, by name. */
  async *namespacesIn(namespace: string, call: FileCall): AsyncGenerator<ListItem> {
    const request = { namespace: `${namespace}/**`, depth: 1, tier: this.options.tier, where: IS_FILE };
    for await (const item of this.#memory.items(request, { ...call, pageSize: NAMES_PAGE })) {
      if (item.value !== namespace) yield item;
    }
  }

  /** Returns the path of a file that meets a condition. */
  async find(where: Filter, call: FileCall): Promise<string | undefined> {
    for await (const { key } of this.#entries("", { all: [IS_FILE, where] }, call, 1)) {
      return (key as { readonly file: string }).file;
    }
    return undefined;
  }

  /** Selects a file by its path, and with `below` the files in and below the folder of that path. */
  at(path: string, below: boolean): Filter {
    const isFile: Filter = { field: "key.file", op: "eq", value: path };
    return below ? { any: [isFile, { field: "key.file", op: "starts_with", value: `${path}/` }] } : isFile;
  }

  /**
   * Stores a file over its revision, or with revision 0 a new one. Returns the stored file, or undefined if it has another
   * revision now.
   * @throws {FileError} "too_large". @throws {MemoryError} except "conflict".
   */
  async write(file: StoredFile, { signal }: FileCall): Promise<StoredFile | undefined> {
    const bytes = Buffer.byteLength(file.text);
    const { fileBytesMax } = this.options;
    if (bytes > fileBytesMax) {
      const message = `file too large: ${bytes} bytes, limit ${fileBytesMax}. Split it into several files`;
      throw new FileError("too_large", shownPath(file.path), message, { bytes });
    }
    signal?.throwIfAborted();
    const { receipts, errors } = await this.#records(file.path).store([this.#entry(file, bytes)]);
    const [error] = errors;
    if (error?.code === "conflict") return undefined;
    if (error !== undefined) throw toMemoryError(error);
    return { ...file, revision: receipts[0]!.revision };
  }

  /** Forgets a file, with `text` only if it has this text. Returns whether the file was deleted. */
  async forget(path: string, { signal }: FileCall, text?: string): Promise<boolean> {
    const hasText: Filter[] =
      text === undefined ? [] : [{ field: "metadata.sha256", op: "eq", value: sha256(text) }];
    signal?.throwIfAborted();
    const request = { keys: [{ file: path }], where: { all: [IS_FILE, ...hasText] } };
    return (await this.#records(path).forget(request)) > 0;
  }

  /** Forgets the files in and below a folder. Returns their number. */
  async forgetBelow(folder: string, call: FileCall): Promise<number> {
    let count = 0;
    for await (const { key, namespace } of this.#entries(folder, { all: [IS_FILE, IS_HEAD] }, call)) {
      count += await this.#recordsIn(namespace).forget({ keys: [key as { file: string }], where: IS_FILE });
    }
    const request = { ...this.#below(folder, IS_FILE), tier: this.options.tier };
    return count + (await this.#memory.forget(request, call)).deleted;
  }

  #below(folder: string, where: Filter): { namespace: string; where: Filter } {
    const { namespace, where: isBelow } = this.layout.below(folder);
    return { namespace, where: { all: [where, ...isBelow] } };
  }

  #entries(folder: string, where: Filter, call: FileCall, pageSize = PAGE): AsyncGenerator<MemoryEntry> {
    const request = { ...this.#below(folder, where), tier: this.options.tier };
    return this.#memory.entries(request, { ...call, pageSize });
  }

  #names(criteria: { namespace: string; where: Filter }, call: FileCall): AsyncGenerator<ListItem> {
    const request = { ...criteria, field: "key.file", tier: this.options.tier };
    return this.#memory.items(request, { ...call, pageSize: NAMES_PAGE });
  }

  #records(path: string): LongRecords {
    return this.#recordsIn(this.layout.namespaceOf(path));
  }

  #recordsIn(namespace: string): LongRecords {
    return new LongRecords(this.#memory.inNamespace(namespace), this.options.tier);
  }

  /**
   * Returns the entry of a file with all fields that other programs stored with it. It occurs when it is written, so that
   * `newest` of a listing is the last change.
   */
  #entry({ path, text, revision, entry }: StoredFile, bytes: number): EntryInput {
    const { content, metadata } = (entry && readRecord(entry, "file")) ?? {};
    return {
      ...entry,
      ...recordEntry({
        kind: "file",
        key: { file: path },
        content: { ...content, text },
        metadata: { ...metadata, bytes, sha256: sha256(text) },
      }),
      text: null,
      tier: this.options.tier,
      occurred_at: this.clock.now(),
      if_revision: revision,
    };
  }
}

/** Returns whether `forget` finds the file by its text. Other programs may store a file without a hash, or with an old one. */
export function hasHash({ text, entry }: StoredFile): boolean {
  return entry?.metadata?.sha256 === sha256(text);
}

/** @throws {FileError} "damaged" for a file with a missing part. */
function readFile(entry: MemoryEntry): StoredFile | undefined {
  if (isHead(entry)) {
    const { file } = entry.key as { readonly file: string };
    throw new FileError("damaged", shownPath(file), "a part of the file is missing");
  }
  const record = readRecord(entry, "file");
  return record && { path: record.key.file, text: record.content.text, revision: entry.revision, entry };
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
