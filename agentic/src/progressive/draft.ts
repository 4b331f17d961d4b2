import type { EntryInput } from "@membus/agent-client";
import { keyHash, type MemoryEntry, MemoryError, type MemoryKey, validateJson } from "@membus/protocol";
import type { MemoryType } from "./memory-record.js";
import type { MemorySpace, SpaceWrite } from "./memory-space.js";

/** The result for a memory. "conflict": it changed concurrently and was left unchanged. */
export interface MemoryChange {
  readonly memoryId: string;
  readonly memoryType: MemoryType;
  readonly memoryTarget: string;
  readonly action: "added" | "updated" | "deleted" | "unchanged" | "conflict";
  /** Current text. For a deleted memory: its last text. */
  readonly text: string;
}

/** The memory of a change, before the result is known. */
export type ChangeDetails = Pick<MemoryChange, "memoryType" | "memoryTarget" | "text">;

/** An entry, with the revision that a write must require. */
export interface DraftEntry {
  readonly key: MemoryKey;
  readonly content: MemoryEntry["content"];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly revision: number;
  readonly tags?: readonly string[] | undefined;
  readonly expires_at?: number | undefined;
  readonly sources?: readonly string[] | undefined;
}

interface StagedWrite extends SpaceWrite {
  readonly memoryId: string;
  readonly namespace: string;
  readonly details: ChangeDetails | undefined;
}

interface StagedForget {
  readonly memoryId: string;
  readonly namespace: string;
  readonly details: ChangeDetails;
  readonly revision: number;
}

/** Below the host's limit of 256 KiB, because the request adds fields to an entry. */
const ENTRY_BYTES_MAX = 250_000;

/**
 * Collects writes that are stored together by `commit`. Reads include the staged writes. A discarded draft
 * changes nothing.
 */
export class Draft {
  readonly space: MemorySpace;
  /** By `stageKey`, like the forgets. */
  readonly #writes = new Map<string, StagedWrite>();
  readonly #forgets = new Map<string, StagedForget>();

  constructor(space: MemorySpace) {
    this.space = space;
  }

  /** Returns the entries as they would be after a commit. Missing entries are left out. */
  async read(namespace: string, hashes: readonly string[]): Promise<Map<string, DraftEntry>> {
    const found = new Map<string, DraftEntry>();
    for (const entry of this.overlay(await this.space.find(namespace, hashes)))
      found.set(entry.key_hash, entry);
    for (const memoryId of hashes) {
      const staged = this.#writes.get(stageKey(namespace, memoryId));
      if (staged !== undefined) found.set(memoryId, asEntry(staged));
    }
    return found;
  }

  /** Returns stored entries as they would be after a commit. */
  overlay<Entry extends MemoryEntry>(entries: readonly Entry[]): (Entry & DraftEntry)[] {
    return entries
      .filter(({ namespace, key_hash }) => !this.#forgets.has(stageKey(namespace, key_hash)))
      .map((entry) => {
        const staged = this.#writes.get(stageKey(entry.namespace, entry.key_hash));
        const metadata = entry.metadata ?? {};
        return staged === undefined ? { ...entry, metadata } : { ...entry, ...asEntry(staged) };
      }) as (Entry & DraftEntry)[];
  }

  /** Number of memories that a commit would change. */
  get changeCount(): number {
    const reported = [...this.#writes.values()].filter(({ details }) => details !== undefined);
    return reported.length + this.#forgets.size;
  }

  /** Returns the entries that a commit would write to a namespace. */
  staged(namespace: string): DraftEntry[] {
    return [...this.#writes.values()].filter((write) => write.namespace === namespace).map(asEntry);
  }

  /**
   * Stages a write over `revision` (0 for a new entry). Without details, `commit` does not report it.
   * @returns the key hash.
   * @throws {MemoryError} `too_large` and `schema_violation` for an entry that the host would reject, so that
   * a commit does not stop halfway.
   */
  write(namespace: string, { entry, revision }: SpaceWrite, details?: ChangeDetails): string {
    checkStorable(entry);
    const memoryId = keyHash(entry.key as MemoryKey);
    const key = stageKey(namespace, memoryId);
    const replaced = this.#writes.get(key)?.revision ?? this.#forgets.get(key)?.revision ?? revision;
    this.#forgets.delete(key);
    this.#writes.set(key, { memoryId, namespace, entry, revision: replaced, details });
    return memoryId;
  }

  /** Adds metadata to the staged entries of a namespace. */
  mark(namespace: string, metadata: object): void {
    for (const [key, write] of this.#writes) {
      if (write.namespace !== namespace) continue;
      const entry = { ...write.entry, metadata: { ...write.entry.metadata, ...metadata } };
      this.#writes.set(key, { ...write, entry });
    }
  }

  /** Stages the deletion of an entry that `read` returned. */
  forget(namespace: string, memoryId: string, found: DraftEntry, details: ChangeDetails): void {
    const key = stageKey(namespace, memoryId);
    const { revision } = this.#writes.get(key) ?? found;
    this.#writes.delete(key);
    if (revision > 0) this.#forgets.set(key, { memoryId, namespace, details, revision });
  }

  /**
   * Stores the staged writes by namespace, then forgets, and empties the draft. After a crash or an error of
   * the host, repeating the same writes completes it.
   * @throws {MemoryError} as the host reports it.
   */
  async commit(): Promise<MemoryChange[]> {
    const changes = [...(await this.#commitWrites()), ...(await this.#commitForgets())];
    this.#writes.clear();
    this.#forgets.clear();
    return changes;
  }

  async #commitWrites(): Promise<MemoryChange[]> {
    const changes: MemoryChange[] = [];
    for (const [namespace, writes] of byNamespace(this.#writes.values())) {
      const outcomes = await this.space.write(namespace, writes);
      for (const [index, { memoryId, details }] of writes.entries()) {
        if (details === undefined) continue;
        const { outcome } = outcomes[index]!;
        changes.push({ memoryId, action: outcome === "created" ? "added" : outcome, ...details });
      }
    }
    return changes;
  }

  async #commitForgets(): Promise<MemoryChange[]> {
    const changes: MemoryChange[] = [];
    for (const { namespace, memoryId, details } of this.#forgets.values()) {
      const deleted = await this.space.forget(namespace, { keys: [{ $hash: memoryId }] });
      changes.push({ memoryId, action: deleted === 0 ? "unchanged" : "deleted", ...details });
    }
    return changes;
  }
}

/** @throws {MemoryError} */
function checkStorable(entry: EntryInput): void {
  validateJson(entry);
  const got = Buffer.byteLength(JSON.stringify(entry));
  if (got <= ENTRY_BYTES_MAX) return;
  const detail = { limit: "entryBytes", max: ENTRY_BYTES_MAX, got };
  throw new MemoryError(
    "too_large",
    `the entry has ${got} bytes, limit ${ENTRY_BYTES_MAX}. Shorten it`,
    detail,
  );
}

function asEntry({ entry, revision }: SpaceWrite): DraftEntry {
  return { ...(entry as Omit<DraftEntry, "revision">), revision };
}

function stageKey(namespace: string, memoryId: string): string {
  return `${memoryId} ${namespace}`;
}

function byNamespace(writes: Iterable<StagedWrite>): Map<string, StagedWrite[]> {
  const groups = new Map<string, StagedWrite[]>();
  for (const write of writes) groups.set(write.namespace, [...(groups.get(write.namespace) ?? []), write]);
  return groups;
}
