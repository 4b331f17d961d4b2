import { hash } from "node:crypto";
import { type AgentMemory, storeFailure } from "@membus/agent-client";
import { LongRecords } from "@membus/agentic";
import { type Clock, type Filter, isHead, type MemoryEntry, readRecord, recordEntry } from "@membus/protocol";
import { parentKeys, prefixOf } from "./memory-path.js";
import { MemoryToolError } from "./memory-tool-error.js";
import type { ResolvedAnthropicMemoryOptions } from "./memory-tool-options.js";
import type { ListedFile } from "./shown-text.js";

/** A file as it is kept, or is to be: over this revision, 0 where there must be none. */
export interface KeptFile {
  readonly key: string;
  readonly text: string;
  readonly revision: number;
  /** As it was read; undefined for a new one. */
  readonly entry: MemoryEntry | undefined;
}

/** Entries that are read at once: one may have 256 KiB. */
const PAGE = 50;
const IS_FILE: Filter = { field: "metadata.kind", op: "eq", value: "file" };

/**
 * The files of one memory, as records in one namespace, whose keys are their paths. A directory is there while a file is
 * below it.
 */
export class MemoryDirectory {
  readonly options: ResolvedAnthropicMemoryOptions;
  readonly clock: Clock;
  readonly #memory: AgentMemory;
  readonly #records: LongRecords;

  constructor(memory: AgentMemory, options: ResolvedAnthropicMemoryOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.#memory = memory.inNamespace(options.namespace);
    this.#records = new LongRecords(this.#memory, options.tier);
  }

  /** @throws {MemoryToolError} for one of which a part has gone. */
  async read(key: string, signal?: AbortSignal): Promise<KeptFile | undefined> {
    const request = { keys: [{ file: key }], where: IS_FILE, include: ["context" as const] };
    for await (const entry of this.#records.entries(request, { signal })) {
      if (isHead(entry))
        throw new MemoryToolError(`The file /memories/${key} is damaged: a part of it has gone`);
      const record = readRecord(entry, "file");
      if (record) return { key, text: record.content.text, revision: entry.revision, entry };
    }
    return undefined;
  }

  /** What is below a directory, in no order, with paths from there. */
  async list(key: string, signal?: AbortSignal): Promise<ListedFile[]> {
    const files: ListedFile[] = [];
    const { length } = prefixOf(key);
    const request = { tier: this.options.tier, where: { all: [IS_FILE, ...isBelow(key)] } };
    for await (const { key: found, metadata } of this.#memory.entries(request, { signal, pageSize: PAGE })) {
      const { file } = found as { readonly file: string };
      files.push({ path: file.slice(length), bytes: Number(metadata?.bytes) });
    }
    return files;
  }

  /** Whether there is a file of this key, or one below it. */
  async has(key: string, signal?: AbortSignal): Promise<boolean> {
    return key === "" || (await this.#find({ any: [hasKey(key), ...isBelow(key)] }, signal)) !== undefined;
  }

  /** The file that a path would lie in, as if that were a directory. */
  async fileAbove(key: string, signal?: AbortSignal): Promise<string | undefined> {
    const parents = parentKeys(key);
    return parents.length === 0 ? undefined : this.#find({ any: parents.map(hasKey) }, signal);
  }

  /** @returns whether the file had the revision that it is written over. @throws {MemoryToolError} for one too large. */
  async write(file: KeptFile): Promise<boolean> {
    const bytes = Buffer.byteLength(file.text);
    const { fileBytesMax } = this.options;
    if (bytes > fileBytesMax) {
      throw new MemoryToolError(`The file would have ${bytes} bytes. Maximum is ${fileBytesMax}.`);
    }
    const { errors } = await this.#records.store([this.#entryOf(file, bytes)]);
    if (errors[0] !== undefined && errors[0].code !== "conflict") throw storeFailure(errors[0]);
    return errors.length === 0;
  }

  /** Forgets a file, if it says this text still. @returns whether it did. */
  async forgetText(key: string, text: string): Promise<boolean> {
    const says: Filter = { field: "metadata.sha256", op: "eq", value: sha256(text) };
    return (await this.#records.forget({ keys: [{ file: key }], where: { all: [IS_FILE, says] } })) > 0;
  }

  /** Whether `forgetText` finds this file: others may have written it without a hash of the text. */
  hasHash({ text, entry }: KeptFile): boolean {
    return entry?.metadata?.sha256 === sha256(text);
  }

  /** Forgets a file and all that is below it. @returns how many files there were. */
  forget(key: string): Promise<number> {
    return this.#records.forget({ where: { all: [IS_FILE, { any: [hasKey(key), ...isBelow(key)] }] } });
  }

  async #find(where: Filter, signal: AbortSignal | undefined): Promise<string | undefined> {
    const request = { tier: this.options.tier, where: { all: [IS_FILE, where] }, limit: 1 };
    for await (const { key } of this.#memory.entries(request, { signal, pageSize: 1 })) {
      return (key as { readonly file: string }).file;
    }
    return undefined;
  }

  /** With all that others have put beside the text. */
  #entryOf({ key, text, revision, entry }: KeptFile, bytes: number) {
    const { content, metadata } = (entry && readRecord(entry, "file")) ?? {};
    const record = recordEntry({
      kind: "file",
      key: { file: key },
      content: { ...content, text },
      metadata: { ...metadata, bytes, sha256: sha256(text) },
    });
    const condition = { occurred_at: this.clock.now(), if_revision: revision };
    return { ...entry, ...record, text: null, tier: this.options.tier, ...condition };
  }
}

function hasKey(key: string): Filter {
  return { field: "key.file", op: "eq", value: key };
}

/** None for the root, as all files are below it. */
function isBelow(key: string): Filter[] {
  return key === "" ? [] : [{ field: "key.file", op: "starts_with", value: prefixOf(key) }];
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
