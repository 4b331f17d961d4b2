import { hash } from "node:crypto";
import {
  type AgentMemory,
  type EntryInput,
  type ForgetRequest,
  type RetrieveRequest,
  storeFailure,
} from "@membus/agent-client";
import {
  isHead,
  type Json,
  keyHash,
  LIMITS,
  type MemoryEntry,
  type MemoryTier,
  segmentOf,
} from "@membus/protocol";
import { LongRecords, type StoredRecords } from "../long-records/index.js";
import type { CostMeter } from "../model/index.js";

export interface SpacePlace {
  readonly tier: MemoryTier;
  /** Path before every namespace; "": none. */
  readonly memorySpace: string;
  /** Whether the host is told what entries are derived from. */
  readonly sources: boolean;
}

/** An entry to write, and the revision that it replaces; 0: there must be none. */
export interface SpaceWrite {
  readonly entry: EntryInput;
  readonly revision: number;
}

/** "conflict": there is another revision than the one that was to be replaced, and it stays. */
export type WriteOutcome =
  | { readonly outcome: "created" | "updated" | "unchanged"; readonly revision: number }
  | { readonly outcome: "conflict" };

/** Where progressive memory lies: one tier of one agent's memory, and its namespaces. Everything it writes is metered. */
export class MemorySpace {
  readonly tier: MemoryTier;
  readonly meter: CostMeter;
  readonly signal: AbortSignal | undefined;
  readonly #memory: AgentMemory;
  readonly #prefix: string;
  readonly #keepsSources: boolean;

  constructor(memory: AgentMemory, place: SpacePlace, meter: CostMeter, signal?: AbortSignal) {
    this.tier = place.tier;
    this.meter = meter;
    this.signal = signal;
    this.#memory = memory;
    this.#keepsSources = place.sources;
    this.#prefix = place.memorySpace === "" ? "" : `${place.memorySpace}/`;
  }

  /** What is known about one target. */
  about(target: string): string {
    return `${this.#prefix}about/${namespaceSegment(target)}`;
  }

  /** What is known about any target, a subtree to read. */
  get aboutAll(): string {
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

  /** The same id for the same content, in this tier and space alone. */
  derivedId(...content: readonly Json[]): string {
    const id = keyHash({ id: [this.tier, this.#prefix, ...content] });
    return id.slice(0, 32);
  }

  async find(namespace: string, hashes: readonly string[]): Promise<MemoryEntry[]> {
    const keys = [...new Set(hashes)].map(($hash) => ({ $hash }));
    return keys.length === 0 ? [] : this.list(namespace, { keys });
  }

  /** One page, best or newest first. */
  async search(namespace: string, request: RetrieveRequest): Promise<MemoryEntry[]> {
    const page = await this.#memory.retrieve({ ...request, namespace, tier: this.tier }, this.#call);
    return page.entries;
  }

  /** All that meets the criteria, over all pages, up to `limit`. */
  async list(namespace: string, request: RetrieveRequest): Promise<MemoryEntry[]> {
    const entries: MemoryEntry[] = [];
    const pages = this.#memory.entries({ ...request, namespace, tier: this.tier }, this.#call);
    for await (const entry of pages) entries.push(entry);
    return entries;
  }

  /**
   * What became of each write, in order.
   * @throws {MemoryError} for an entry that is refused for another reason than its revision; others may be written.
   */
  async write(namespace: string, writes: readonly SpaceWrite[]): Promise<WriteOutcome[]> {
    if (writes.length === 0) return [];
    const entries = writes.map((write) => this.#entryOf(write));
    return this.#outcomes(await this.#memory.inNamespace(namespace).store(entries, this.#call));
  }

  /** As `write`, of entries of any size: those that are larger than an entry may be are kept in parts. */
  async writeLong(namespace: string, writes: readonly SpaceWrite[]): Promise<WriteOutcome[]> {
    this.signal?.throwIfAborted();
    const entries = writes.map((write) => this.#entryOf(write));
    return this.#outcomes(await this.#long(namespace).store(entries));
  }

  /** An entry with the content that its parts hold, where it has some; undefined where one is missing. */
  async whole(entry: MemoryEntry): Promise<MemoryEntry | undefined> {
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
      if (error.code !== "conflict") throw storeFailure(error);
      outcomes[error.index] = { outcome: "conflict" };
    }
    return outcomes;
  }

  /** Forgets what meets the criteria; how many there really were. */
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
 * A name as a segment of a namespace: itself where it can be one, else escaped, and where that is too long its beginning and
 * its hash. No two names share one.
 */
function namespaceSegment(name: string): string {
  const escaped = segmentOf(name).replaceAll("~", "%7e");
  if (escaped.length <= LIMITS.namespaceSegmentLength) return escaped;
  const head = escaped.slice(0, HASHED_HEAD_LENGTH).toWellFormed();
  return `${head}~${hash("sha256", name, "hex").slice(0, 40)}`;
}
