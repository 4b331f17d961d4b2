import { type AgentMemory, toMemoryError } from "@membus/agent-client";
import {
  type Json,
  keyHash,
  type MemoryEntry,
  MemoryError,
  type MemoryTier,
  parseOption,
} from "@membus/protocol";
import { encodeSegment } from "@membus/protocol/records";
import { kindIs } from "../kind-filter.js";
import { type Places, placesAfter } from "../positions.js";
import { forgetOldName } from "./forget-user.js";
import { UserSchema, userSubject } from "./memory-options.js";
import { isPositioned, messageNamespace, withPositions } from "./positioned-record.js";
import { isUserNamespace, progressiveSegment, servedTiers, type UserPlace, userPlaces } from "./user-data.js";

export interface RenameUserReceipt {
  /** Number of renamed entries. */
  readonly renamed: number;
}

/** Maximum number of times that entries are moved which others stored during the rename. */
const PASSES_MAX = 5;

/** Entries that one rename may move. */
const ENTRIES_MAX = 100_000;

/** Key hashes in one filter. */
const HASHES = 100;

/** Entries of one store. */
const BATCH = 100;

/**
 * Gives the memories of a user another name: copies them, with new keys where these name the user, then forgets
 * the old ones. The same call again continues after a failure. Entries that others store under the old name at the
 * same time are moved too. Entries keep their event times, but get new
 * revisions and creation times. Their order stays.
 * @throws {TypeError} for an invalid name.
 * @throws {MemoryError} `conflict` if there are memories of a user with the new name, or if others keep storing. `too_large` for more than
 * 100,000 entries. Nothing is changed then.
 */
export async function renameUser(memory: AgentMemory, user: string, to: string): Promise<RenameUserReceipt> {
  parseOption(UserSchema, user, "user");
  parseOption(UserSchema, to, "to");
  if (user === to) return { renamed: 0 };
  let entries = await entriesOf(memory, await placesOf(memory, user));
  if (entries.length === 0) return { renamed: 0 };
  const isResumed = await begin(memory, user, to);
  const copy = new RenamedCopy(memory, { user, to, isResumed });
  let renamed = 0;
  for (let pass = 0; entries.length > 0; pass++) {
    if (pass === PASSES_MAX)
      throw new MemoryError("conflict", `others keep storing for ${user}. Rename again`);
    await move(memory, user, entries, copy);
    renamed += entries.length;
    entries = await entriesOf(memory, await placesOf(memory, user));
  }
  await memory
    .inNamespace(markNamespace(to))
    .forget({ keys: [{ renaming: user }], tier: "episodic", purge: true });
  return { renamed };
}

/** Copies entries, then forgets everything under the old name that is not newer than they are. */
async function move(
  memory: AgentMemory,
  user: string,
  entries: readonly MemoryEntry[],
  copy: RenamedCopy,
): Promise<void> {
  copy.learnHashes(entries);
  await copy.store(entries.filter((entry) => !isPositioned(entry)));
  await copy.storePositioned(entries.filter(isPositioned));
  await copy.updateSources();
  const until = entries.reduce((latest, { timestamps }) => Math.max(latest, timestamps.updated), 0);
  await forgetOldName(memory, user, until);
}

async function placesOf(memory: AgentMemory, user: string): Promise<UserPlace[]> {
  const places: UserPlace[] = [];
  for (const tier of await servedTiers(memory)) {
    places.push(...(await userPlaces(memory, tier, { user, names: [], conversations: [] })));
  }
  return places;
}

/** Returns the entries of a user without markers, oldest first. An entry of two places comes once. */
async function entriesOf(memory: AgentMemory, places: readonly UserPlace[]): Promise<MemoryEntry[]> {
  const found = new Map<string, MemoryEntry>();
  for (const { tier, namespace, criteria } of places) {
    const isMark = kindIs("forgotten", "renaming");
    const where = { all: [{ not: isMark }, ...(criteria.where == null ? [] : [criteria.where])] };
    const request = { tier, namespace, where, order: "oldest" as const, include: ["context" as const] };
    for await (const entry of memory.entries(request, { pageSize: 500 })) {
      found.set(`${tier} ${namespace} ${entry.key_hash}`, entry);
      if (found.size <= ENTRIES_MAX) continue;
      throw new MemoryError("too_large", `a rename moves at most ${ENTRIES_MAX} entries. Forget some first`);
    }
  }
  return [...found.values()].sort((a, b) => a.seq - b.seq);
}

const markNamespace = (user: string) => `users/${encodeSegment(user)}`;

/** Marks the new name, so that the same rename can continue. Returns whether an earlier call marked it. */
async function begin(memory: AgentMemory, user: string, to: string): Promise<boolean> {
  const view = memory.inNamespace(markNamespace(to));
  const key = { renaming: user };
  const { entries } = await view.retrieve({ keys: [key], tier: "episodic" });
  if (entries.length > 0) return true;
  if ((await entriesOf(memory, await placesOf(memory, to))).length > 0) {
    throw new MemoryError(
      "conflict",
      `there are memories of the user ${to}. Forget them or choose another name`,
    );
  }
  const metadata = { kind: "renaming" };
  await view.store({ key, content: null, metadata, text: "", tier: "episodic" });
  return false;
}

interface Rename {
  readonly user: string;
  readonly to: string;
  /** Whether an earlier call may have copied records and forgotten the messages that they name. */
  readonly isResumed: boolean;
}

/** Copies entries and maps names, key hashes and positions. */
class RenamedCopy {
  readonly #memory: AgentMemory;
  readonly #user: string;
  readonly #to: string;
  readonly #isResumed: boolean;
  /** New key hashes by old ones. */
  readonly #hashes = new Map<string, string>();
  /** New positions by old ones, by the tier and old namespace of their entries. */
  readonly #moved = new Map<string, Map<number, number>>();
  /** New positions during one store. */
  readonly #places = new Map<string, Places>();

  constructor(memory: AgentMemory, { user, to, isResumed }: Rename) {
    this.#memory = memory;
    this.#user = user;
    this.#to = to;
    this.#isResumed = isResumed;
  }

  /** The parts of a large record name its hash, so they come second. */
  learnHashes(entries: readonly MemoryEntry[]): void {
    for (let round = 0; round < 2; round++) {
      for (const { key, key_hash } of entries) {
        const renamed = keyHash(this.#renamed(key) as typeof key);
        if (renamed !== key_hash) this.#hashes.set(key_hash, renamed);
      }
    }
  }

  async store(entries: readonly MemoryEntry[]): Promise<void> {
    this.#places.clear();
    let batch: MemoryEntry[] = [];
    for (const entry of entries) {
      if (batch.length === BATCH || (batch[0] && batch[0].namespace !== entry.namespace)) {
        await this.#storeBatch(batch);
        batch = [];
      }
      batch.push(entry);
    }
    if (batch.length > 0) await this.#storeBatch(batch);
  }

  /**
   * Stores records that name messages by position, after these messages. In a resumed rename, a summary without its
   * last message has a copy: messages are forgotten after all copies are stored.
   */
  async storePositioned(entries: readonly MemoryEntry[]): Promise<void> {
    const isCopied = ({ tier, namespace, metadata }: MemoryEntry) =>
      this.#isResumed &&
      metadata?.kind === "summary" &&
      !this.#movedIn(tier, namespace).has(Number(metadata.to));
    await this.store(entries.filter((entry) => !isCopied(entry)));
  }

  /** Entries elsewhere that are derived from the user's name the new keys, so that a later forget finds them. */
  async updateSources(): Promise<void> {
    const old = [...this.#hashes.keys()];
    for (const tier of await servedTiers(this.#memory)) {
      for await (const { value } of this.#memory.items({ namespace: "**", tier })) {
        const namespace = String(value);
        if (this.#renamedNamespace(namespace) !== namespace) continue;
        for (let from = 0; from < old.length; from += HASHES) {
          await this.#updateSourcesIn(namespace, tier, old.slice(from, from + HASHES));
        }
      }
    }
  }

  async #updateSourcesIn(namespace: string, tier: MemoryTier, hashes: readonly string[]): Promise<void> {
    const where = { field: "sources", op: "in" as const, value: [...hashes] };
    const derived: MemoryEntry[] = [];
    const request = { namespace, tier, where, include: ["context" as const] };
    for await (const entry of this.#memory.entries(request)) {
      // The old entries of the user are about to be forgotten.
      if (!this.#hashes.has(entry.key_hash)) derived.push(entry);
    }
    await this.store(derived.map((entry) => ({ ...entry, if_revision: entry.revision })));
  }

  async #storeBatch(batch: readonly MemoryEntry[]): Promise<void> {
    const namespace = this.#renamedNamespace(batch[0]!.namespace);
    const renamed = batch.map((entry) => this.#renamedEntry(entry));
    const { receipts, errors } = await this.#memory.inNamespace(namespace).store(renamed, { partial: true });
    const failure = errors.find(
      ({ index, code }) => code !== "conflict" || renamed[index]!.if_revision !== 0,
    );
    if (failure !== undefined) throw toMemoryError(failure);
    for (const { index, revision } of receipts) {
      const { tier, namespace, seq } = batch[index]!;
      this.#movedIn(tier, namespace).set(seq, revision);
    }
  }

  #movedIn(tier: MemoryTier, namespace: string): Map<number, number> {
    const place = `${tier} ${namespace}`;
    const moved = this.#moved.get(place) ?? new Map<number, number>();
    this.#moved.set(place, moved);
    return moved;
  }

  #renamedEntry(entry: MemoryEntry): MemoryEntry & { readonly if_revision?: number } {
    const renamed = {
      ...entry,
      key: this.#renamed(entry.key) as MemoryEntry["key"],
      metadata: this.#renamed(entry.metadata ?? {}) as MemoryEntry["metadata"],
      ...(isPositioned(entry) && { content: this.#renamed(entry.content) }),
      ...(entry.group != null && { group: this.#renamed(entry.group) as string }),
      ...(entry.sources != null && { sources: entry.sources.map((hash) => this.#hashes.get(hash) ?? hash) }),
    };
    const { namespace, group } = entry;
    const isMoved = renamed.group !== group || this.#renamedNamespace(namespace) !== namespace;
    if (!isMoved || !isPositioned(entry)) return renamed;
    const placed = withPositions(renamed, this.#placesIn(entry.tier, messageNamespace(entry)));
    // An earlier call copied the record with the positions of messages that are forgotten now.
    return this.#isResumed ? { ...placed, if_revision: 0 } : placed;
  }

  #placesIn(tier: MemoryTier, namespace: string): Places {
    const place = `${tier} ${namespace}`;
    const places = this.#places.get(place) ?? placesAfter(this.#movedIn(tier, namespace));
    this.#places.set(place, places);
    return places;
  }

  #renamedNamespace(namespace: string): string {
    if (!isUserNamespace(namespace, { user: this.#user, names: [], conversations: [] })) return namespace;
    const names = segmentsOf(this.#user);
    const renamed = segmentsOf(this.#to);
    return namespace
      .split("/")
      .map((segment) => renamed[names.indexOf(segment)] ?? segment)
      .join("/");
  }

  /** Replaces names and hashes at any depth. */
  #renamed(value: Json): Json {
    if (typeof value === "string") return this.#renamedText(value);
    if (Array.isArray(value)) return value.map((one) => this.#renamed(one));
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([name, one]) => [name, this.#renamed(one!)]);
    return Object.fromEntries(fields);
  }

  #renamedText(text: string): string {
    const [subject, renamed] = [userSubject(this.#user), userSubject(this.#to)];
    if (text === this.#user) return this.#to;
    if (text === subject || text.startsWith(`${subject}/`)) return renamed + text.slice(subject.length);
    return this.#hashes.get(text) ?? text;
  }
}

/** Returns every segment of a namespace that stands for a user. */
function segmentsOf(user: string): readonly string[] {
  return [encodeSegment(userSubject(user)), encodeSegment(user), progressiveSegment(user)];
}
