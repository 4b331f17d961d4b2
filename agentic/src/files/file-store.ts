import { hash } from "node:crypto";
import { type AgentMemory, type CallOptions, type EntryInput, storeFailure } from "@membus/agent-client";
import {
  type Clock,
  type Filter,
  type ListItem,
  type MemoryEntry,
  readRecord,
  recordEntry,
} from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import { FileError } from "./file-error.js";
import { namespaceOf, shownPath } from "./file-path.js";
import type { ResolvedFilesOptions } from "./files-options.js";

/** How a call is sent; its time limits are the client's. */
export type FileCall = Pick<CallOptions, "signal">;

/** A file as it is kept; `path` is that of its key. */
export interface StoredFile {
  readonly path: string;
  readonly text: string;
  readonly revision: number;
  /** As it was read; undefined for a new one. */
  readonly entry: MemoryEntry | undefined;
}

export const IS_FILE = kindIs("file");

/** Entries that are read at once: one may have 256 KiB. */
const PAGE = 50;
const NAMES_PAGE = 1_000;

/** Files as entries of the host. */
export class FileStore {
  readonly options: ResolvedFilesOptions;
  readonly clock: Clock;
  readonly #memory: AgentMemory;

  constructor(memory: AgentMemory, options: ResolvedFilesOptions, clock: Clock) {
    this.#memory = memory;
    this.options = options;
    this.clock = clock;
  }

  async read(path: string, call: FileCall): Promise<StoredFile | undefined> {
    const request = { namespace: this.#namespace(path), tier: this.options.tier, keys: [{ file: path }] };
    const wanted = { ...request, where: IS_FILE, include: ["context" as const] };
    for await (const entry of this.#memory.entries(wanted, call)) return readFile(entry);
    return undefined;
  }

  /** All in and below a folder, in no order. */
  async *each(folder: string, where: Filter, call: FileCall): AsyncGenerator<StoredFile> {
    const request = { namespace: `${this.#namespace(folder)}/**`, tier: this.options.tier, where };
    for await (const entry of this.#memory.entries(request, { ...call, pageSize: PAGE })) {
      const file = readFile(entry);
      if (file !== undefined) yield file;
    }
  }

  /** The paths of the files in a folder, and with `below` of those below it, by name. */
  paths(folder: string, below: boolean, where: Filter, call: FileCall): AsyncGenerator<ListItem> {
    const namespace = `${this.#namespace(folder)}${below ? "/**" : ""}`;
    const request = { field: "key.file", namespace, tier: this.options.tier, where };
    return this.#memory.items(request, { ...call, pageSize: NAMES_PAGE });
  }

  /** The namespaces of the folders in a folder, each with all that is below it, by name. */
  async *folders(folder: string, call: FileCall): AsyncGenerator<ListItem> {
    const namespace = this.#namespace(folder);
    const request = { namespace: `${namespace}/**`, depth: 1, tier: this.options.tier, where: IS_FILE };
    for await (const item of this.#memory.items(request, { ...call, pageSize: NAMES_PAGE })) {
      if (item.value !== namespace) yield item;
    }
  }

  /**
   * Stores a file over the revision that it has; 0: only where there is none.
   * @returns it as it is then; undefined when it has another revision by now.
   * @throws {FileError} "too_large". @throws {MemoryError} others than "conflict".
   */
  async write(file: StoredFile, call: FileCall): Promise<StoredFile | undefined> {
    const memory = this.#memory.inNamespace(this.#namespace(file.path));
    const { receipts, errors } = await memory.store(this.#entry(file), call);
    const [error] = errors;
    if (error?.code === "conflict") return undefined;
    if (error?.code === "too_large") {
      const { max, got } = error.detail ?? {};
      const message = `as an entry it has ${String(got)} bytes, and may have ${String(max)}: make several of it`;
      throw new FileError("too_large", shownPath(file.path), message, { cause: error });
    }
    if (error !== undefined) throw storeFailure(error);
    return { ...file, revision: receipts[0]!.revision };
  }

  /** @returns whether it was there; with `text`, whether it said just that. */
  async forget(path: string, call: FileCall, text?: string): Promise<boolean> {
    const says: Filter[] =
      text === undefined ? [] : [{ field: "metadata.sha256", op: "eq", value: sha256(text) }];
    const request = { namespace: this.#namespace(path), tier: this.options.tier, keys: [{ file: path }] };
    return (await this.#memory.forget({ ...request, where: { all: [IS_FILE, ...says] } }, call)).deleted > 0;
  }

  /** Forgets all that is in and below a folder. */
  async forgetBelow(folder: string, call: FileCall): Promise<number> {
    const namespace = `${this.#namespace(folder)}/**`;
    return (await this.#memory.forget({ namespace, tier: this.options.tier, where: IS_FILE }, call)).deleted;
  }

  #namespace(path: string): string {
    return namespaceOf(this.options.namespace, path);
  }

  /** With all that others have put beside the text. It happened when it was written, so that `newest` is the last change. */
  #entry({ path, text, revision, entry }: StoredFile): EntryInput {
    const { content, metadata } = (entry && readRecord(entry, "file")) ?? {};
    return {
      ...entry,
      ...recordEntry({
        kind: "file",
        key: { file: path },
        content: { ...content, text },
        metadata: { ...metadata, bytes: Buffer.byteLength(text), sha256: sha256(text) },
      }),
      text: null,
      tier: this.options.tier,
      occurred_at: this.clock.now(),
      if_revision: revision,
    };
  }
}

function readFile(entry: MemoryEntry): StoredFile | undefined {
  const record = readRecord(entry, "file");
  return record && { path: record.key.file, text: record.content.text, revision: entry.revision, entry };
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
