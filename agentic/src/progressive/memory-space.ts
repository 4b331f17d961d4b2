import { hash } from "node:crypto";
import {
  type AgentMemory,
  type EntryInput,
  type ForgetRequest,
  type RetrieveRequest,
  toMemoryError,
} from "@membus/agent-client";
import { type Json, keyHash, LIMITS, type MemoryEntry, type MemoryTier } from "@membus/protocol";
import { encodeSegment, isHead } from "@membus/protocol/records";
import { LongRecords, type StoredRecords } from "../long-records/index.js";
import type { CostMeter } from "../model/index.js";

export interface SpaceOptions {
  readonly tier: MemoryTier;
  /** Path before every namespace. "": none. */
  readonly memorySpace: string;
  /** Whether entries list their sources. */
  readonly sources: boolean;
}

/** An entry to write, and the revision that it replaces. 0: it must not exist. */
export interface SpaceWrite {
  readonly entry: EntryInput;
  readonly revision: number;
}

/** "conflict": the entry has another revision than the required one and is unchanged. */
export type WriteOutcome =
  | { readonly outcome: "created" | "updated" | "unchanged"; readonly revision: number }
  | { readonly outcome: "conflict" };

/**
 * The storage of progressive memory: the namespaces in one tier of an agent's memory. All writes are metered.
 */
export class MemorySpace {
  readonly tier: MemoryTier;
  readonly meter: CostMeter;
  readonly signal: AbortSignal | undefined;
  readonly #memory: AgentMemory;
  readonly #prefix: string;
  readonly #keepsSources: boolean;

  constructor(memory: AgentMemory, place: SpaceOptions, meter: CostMeter, signal?: AbortSignal) {
    this.tier = place.tier;
    this.meter = meter;
    this.signal = signal;
    this.#memory = memory;
    this.#keepsSources = place.sources;
    this.#prefix = place.memorySpace === "" ? "" : `${place.memorySpace}/`;
  }

  /** Returns the namespace of a target. */
  targetNamespace(target: string): string {
    return `${this.#prefix}about/${namespaceSegment(target)}`;
  }

  /** Subtree with the namespaces of all targets, for reading. */
  get allTargetNamespaces(): string {
    return `${this.#prefix}about/**`;
  }

  get targets(): string {
    return `${this.#prefix}targets`;
  }

  get conversations(): string {
    return `${this.#prefix}conversations`;
  }

  get blocks(): string {
    return `${this.#prefix}blocks`;
  }

  /** Returns an id that depends on the content, the tier and the space. */
  derivedId(...content: readonly Json[]): string {
    const id = keyHash({ id: [this.tier, this.#prefix, ...content] });
    return id.slice(0, 32);
  }

  async find(namespace: string, hashes: readonly string[]): Promise<MemoryEntry[]> {
    const keys = [...new Set(hashes)].map(($hash) => ({ $hash }));
    return keys.length === 0 ? [] : this.list(namespace, { keys });
  }

  /** Returns one page, best or newest first. */
  async search(namespace: string, request: RetrieveRequest): Promise<MemoryEntry[]> {
    const page = await this.#memory.retrieve({ ...request, namespace, tier: this.tier }, this.#call);
    return page.entries;
  }

  /** Returns all matching entries of all pages, up to `limit`. */
  async list(namespace: string, request: RetrieveRequest): Promise<MemoryEntry[]> {
    const entries: MemoryEntry[] = [];
    const pages = this.#memory.entries({ ...request, namespace, tier: this.tier }, this.#call);
    for await (const entry of pages) entries.push(entry);
    return entries;
  }

  /**
   * @returns the outcome of each write, in order.
   * @throws {MemoryError} for a rejected entry, unless it is a conflict. Other entries may be written.
   */
  async write(namespace: string, writes: readonly SpaceWrite[]): Promise<WriteOutcome[]> {
    if (writes.length === 0) return [];
    const entries = writes.map((write) => this.#entryOf(write));
    const memory = this.#memory.inNamespace(namespace);
    return this.#outcomes(await memory.store(entries, { ...this.#call, partial: true }));
  }

  /** Writes entries of any size, as `write` does. Larger ones are stored in parts. */
  async writeLong(namespace: string, writes: readonly SpaceWrite[]): Promise<WriteOutcome[]> {
    this.signal?.throwIfAborted();
    const entries = writes.map((write) => this.#entryOf(write));
    return this.#outcomes(await this.#long(namespace).store(entries));
  }

  /** Returns an entry with the content of its parts. undefined if a part is missing. */
  async readWhole(entry: MemoryEntry): Promise<MemoryEntry | undefined> {
    const whole = await this.#long(entry.namespace).whole(entry);
    return whole === undefined || isHead(whole) ? undefined : whole;
  }

  #long(namespace: string): LongRecords {
    return new LongRecords(this.#memory.inNamespace(namespace), this.tier);
  }

  #entryOf({ entry: { sources, ...entry }, revision }: SpaceWrite): EntryInput {
    const lineage = this.#keepsSources && sources != null ? { sources } : {};
    return { ...entry, ...lineage, tier: this.tier, if_revision: revision };
  }

  #outcomes(result: StoredRecords): WriteOutcome[] {
    const written = result.receipts.filter(({ outcome }) => outcome !== "unchanged");
    this.meter.written(written.length);
    const outcomes: WriteOutcome[] = [];
    for (const { index, outcome, revision } of result.receipts) {
      outcomes[index] = {
        outcome: outcome === "updated" || outcome === "unchanged" ? outcome : "created",
        revision,
      };
    }
    for (const error of result.errors) {
      if (error.code !== "conflict") throw toMemoryError(error);
      outcomes[error.index] = { outcome: "conflict" };
    }
    return outcomes;
  }

  /** Forgets matching entries. @returns their number. */
  async forget(namespace: string, criteria: ForgetRequest): Promise<number> {
    const { deleted } = await this.#memory.forget({ ...criteria, namespace, tier: this.tier }, this.#call);
    this.meter.written(deleted);
    return deleted;
  }

  get #call() {
    return { signal: this.signal };
  }
}

const HASHED_HEAD_LENGTH = 23;

/**
 * Converts a name to a unique segment of a namespace: escaped if necessary, and with a hash if it is too
 * long.
 */
function namespaceSegment(name: string): string {
  const escaped = encodeSegment(name).replaceAll("~", "%7e");
  if (escaped.length <= LIMITS.namespaceSegmentLength) return escaped;
  const head = escaped.slice(0, HASHED_HEAD_LENGTH).toWellFormed();
  return `${head}~${hash("sha256", name, "hex").slice(0, 40)}`;
}
