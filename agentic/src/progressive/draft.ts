import type { EntryInput } from "@membus/agent-client";
import { guardJson, keyHash, type MemoryEntry, MemoryError, type MemoryKey } from "@membus/protocol";
import type { MemoryType } from "./memory-record.js";
import type { MemorySpace, SpaceWrite } from "./memory-space.js";

/** What became of a memory. "conflict": somebody else changed it meanwhile, and that stays. */
export interface MemoryChange {
  readonly memoryId: string;
  readonly memoryType: MemoryType;
  readonly memoryTarget: string;
  readonly action: "added" | "updated" | "deleted" | "unchanged" | "conflict";
  /** What it says now; of a deleted one, what it said. */
  readonly text: string;
}

/** What a change is about, before it is known what becomes of it. */
export type ChangeSubject = Pick<MemoryChange, "memoryType" | "memoryTarget" | "text">;

/** An entry, with the revision that a write over it has to name. */
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
  readonly subject: ChangeSubject | undefined;
}

interface StagedForget {
  readonly memoryId: string;
  readonly namespace: string;
  readonly subject: ChangeSubject;
  readonly revision: number;
}

/** Beside the host's bound of 256 KiB: what the request adds to an entry. */
const ENTRY_BYTES_MAX = 250_000;

/**
 * Writes that happen together, or not at all: nothing of a draft is stored before `commit`. Reads see what the draft has
 * staged. A draft that is thrown away leaves no trace.
 */
export class Draft {
  readonly space: MemorySpace;
  /** By `placeOf`, as are the forgets. */
  readonly #writes = new Map<string, StagedWrite>();
  readonly #forgets = new Map<string, StagedForget>();

  constructor(space: MemorySpace) {
    this.space = space;
  }

  /** Entries as they would be after a commit; what is not there is left out. */
  async read(namespace: string, hashes: readonly string[]): Promise<Map<string, DraftEntry>> {
    const found = new Map<string, DraftEntry>();
    for (const entry of this.overlay(await this.space.find(namespace, hashes)))
      found.set(entry.key_hash, entry);
    for (const memoryId of hashes) {
      const staged = this.#writes.get(placeOf(namespace, memoryId));
      if (staged !== undefined) found.set(memoryId, asEntry(staged));
    }
    return found;
  }

  /** Stored entries as they would be after a commit. */
  overlay<Entry extends MemoryEntry>(entries: readonly Entry[]): (Entry & DraftEntry)[] {
    return entries
      .filter(({ namespace, key_hash }) => !this.#forgets.has(placeOf(namespace, key_hash)))
      .map((entry) => {
        const staged = this.#writes.get(placeOf(entry.namespace, entry.key_hash));
        const metadata = entry.metadata ?? {};
        return staged === undefined ? { ...entry, metadata } : { ...entry, ...asEntry(staged) };
      }) as (Entry & DraftEntry)[];
  }

  /** Memories that a commit would change. */
  get changeCount(): number {
    const told = [...this.#writes.values()].filter(({ subject }) => subject !== undefined);
    return told.length + this.#forgets.size;
  }

  /** What a commit would write to a namespace. */
  staged(namespace: string): DraftEntry[] {
    return [...this.#writes.values()].filter((write) => write.namespace === namespace).map(asEntry);
  }

  /**
   * Stages a write over `revision`, 0 for a new entry. Without a subject `commit` does not tell of it.
   * @returns the key hash.
   * @throws {MemoryError} `too_large` and `schema_violation` for what no host would store: a commit is not to stop halfway.
   */
  write(namespace: string, { entry, revision }: SpaceWrite, subject?: ChangeSubject): string {
    checkStorable(entry);
    const memoryId = keyHash(entry.key as MemoryKey);
    const place = placeOf(namespace, memoryId);
    const replaced = this.#writes.get(place)?.revision ?? this.#forgets.get(place)?.revision ?? revision;
    this.#forgets.delete(place);
    this.#writes.set(place, { memoryId, namespace, entry, revision: replaced, subject });
    return memoryId;
  }

  /** Adds metadata to what is staged in a namespace. */
  mark(namespace: string, metadata: object): void {
    for (const [place, write] of this.#writes) {
      if (write.namespace !== namespace) continue;
      const entry = { ...write.entry, metadata: { ...write.entry.metadata, ...metadata } };
      this.#writes.set(place, { ...write, entry });
    }
  }

  /** Stages a deletion of what `read` has found. */
  forget(namespace: string, memoryId: string, found: DraftEntry, subject: ChangeSubject): void {
    const place = placeOf(namespace, memoryId);
    const { revision } = this.#writes.get(place) ?? found;
    this.#writes.delete(place);
    if (revision > 0) this.#forgets.set(place, { memoryId, namespace, subject, revision });
  }

  /**
   * Stores what is staged, by namespace, then forgets; the draft is empty afterwards. What a crash or an error of the host
   * interrupts is completed by the same writes, done again.
   * @throws {MemoryError} as of the host.
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
      for (const [index, { memoryId, subject }] of writes.entries()) {
        if (subject === undefined) continue;
        const { outcome } = outcomes[index]!;
        changes.push({ memoryId, action: outcome === "created" ? "added" : outcome, ...subject });
      }
    }
    return changes;
  }

  async #commitForgets(): Promise<MemoryChange[]> {
    const changes: MemoryChange[] = [];
    for (const { namespace, memoryId, subject } of this.#forgets.values()) {
      const deleted = await this.space.forget(namespace, { keys: [{ $hash: memoryId }] });
      changes.push({ memoryId, action: deleted === 0 ? "unchanged" : "deleted", ...subject });
    }
    return changes;
  }
}

/** @throws {MemoryError} */
function checkStorable(entry: EntryInput): void {
  guardJson(entry);
  const got = Buffer.byteLength(JSON.stringify(entry));
  if (got <= ENTRY_BYTES_MAX) return;
  const detail = { limit: "entryBytes", max: ENTRY_BYTES_MAX, got };
  throw new MemoryError("too_large", `an entry has at most ${ENTRY_BYTES_MAX} bytes, got ${got}`, detail);
}

function asEntry({ entry, revision }: SpaceWrite): DraftEntry {
  return { ...(entry as Omit<DraftEntry, "revision">), revision };
}

function placeOf(namespace: string, memoryId: string): string {
  return `${memoryId} ${namespace}`;
}

function byNamespace(writes: Iterable<StagedWrite>): Map<string, StagedWrite[]> {
  const groups = new Map<string, StagedWrite[]>();
  for (const write of writes) groups.set(write.namespace, [...(groups.get(write.namespace) ?? []), write]);
  return groups;
}
