import {
  type AgentMemory,
  type EntriesOptions,
  type EntryInput,
  type ForgetRequest,
  type RetrieveRequest,
  storeFailure,
} from "@membus/agent-client";
import {
  type Filter,
  isHead,
  isMemoryError,
  joinRecord,
  keyHash,
  LIMITS,
  type MemoryEntry,
  type MemoryTier,
  type StoreError,
  type StoreReceipt,
} from "@membus/protocol";
import {
  hasSameParts,
  partHashes,
  planRecord,
  type RecordPlan,
  splitInto,
  WRITE_FIELD,
  withoutWrite,
  writeOf,
} from "./record-plan.js";

/** A head whose parts another forgets when it replaces it is read again, so often. */
const READS_MAX = 8;

const IS_HEAD: Filter = { field: "metadata.parts", op: "exists", value: true };

export interface StoreRecordsOptions {
  /**
   * Whether the parts of records that are there already are looked for, whatever replaces them. Without it that is done
   * where the entry has a condition, or is large itself.
   */
  readonly replacing?: boolean | undefined;
}

/** By their indices in the call. */
export interface StoredRecords {
  readonly receipts: readonly StoreReceipt[];
  readonly errors: readonly StoreError[];
}

/**
 * Records of any size up to 180 MB, in one tier and the namespace of `memory`: those larger than an entry are kept in parts
 * (chapter 7). Parts are there before their head is, and are forgotten after it; a process that is killed in between
 * leaves parts that no reader sees, and that go when their head is replaced by the same, or all of its group is forgotten.
 */
export class LongRecords {
  readonly #memory: AgentMemory;
  readonly #tier: MemoryTier;
  /** Whether parts may name their head: a tier that has no sources refuses such parts. */
  #sources = true;

  constructor(memory: AgentMemory, tier: MemoryTier) {
    this.#memory = memory;
    this.#tier = tier;
  }

  /**
   * Stores records in their order; of those that are too large for an entry first the parts. What a record had before,
   * and needs no longer, is forgotten where it was looked for.
   * @throws {MemoryError} `too_large` for one of more than 180 MB, and what befalls parts: then no record is stored.
   */
  async store(
    inputs: readonly EntryInput[],
    { replacing = false }: StoreRecordsOptions = {},
  ): Promise<StoredRecords> {
    const split = inputs.map((input) => splitInto({ ...input, tier: this.#tier }));
    const replaced = replacing ? split : split.filter(mayReplace);
    const old = await this.#heads(replaced.map((entries) => hashOf(entries.at(-1)!)));
    const plans = split.map((entries) => planRecord(entries, old.get(hashOf(entries.at(-1)!))));
    const parts = plans.flatMap((plan) => (plan.isSent ? plan.parts : []));
    const created = await this.#storeParts(parts);
    const stored = await this.#memory.store(plans.map(({ entry }) => entry));
    const receipts = new Map(stored.receipts.map((receipt) => [receipt.index, receipt]));
    for (const [index, plan] of plans.entries()) await this.#settle(plan, receipts.has(index), created);
    return stored;
  }

  /**
   * Those that meet a request, whole, in its order. A head that is yielded is one whose parts are not all there.
   */
  async *entries(request: RetrieveRequest, options: EntriesOptions = {}): AsyncGenerator<MemoryEntry> {
    for await (const entry of this.#memory.entries({ ...request, tier: this.#tier }, options)) {
      const whole = await this.#whole(entry);
      if (whole !== undefined) yield whole;
    }
  }

  /** One page of them, whole: as `entries`. */
  async page(request: RetrieveRequest): Promise<MemoryEntry[]> {
    const { entries } = await this.#memory.retrieve({ ...request, tier: this.#tier });
    const whole: (MemoryEntry | undefined)[] = [];
    for (const entry of entries) whole.push(await this.#whole(entry));
    return whole.filter((entry) => entry !== undefined);
  }

  /** Forgets records and their parts, and counts the records. */
  async forget(request: Omit<ForgetRequest, "tier">): Promise<number> {
    const { where, ...criteria } = request;
    const heads: MemoryEntry[] = [];
    const ofHeads = { ...criteria, tier: this.#tier, where: where ? { all: [IS_HEAD, where] } : IS_HEAD };
    for await (const head of this.#memory.entries(ofHeads)) heads.push(head);
    const { deleted } = await this.#memory.forget({ ...request, tier: this.#tier });
    for (const head of heads) await this.#forgetPartsOf(head);
    return deleted;
  }

  /** @returns the key hashes of those that were not there before. */
  async #storeParts(parts: readonly EntryInput[]): Promise<Set<string>> {
    if (parts.length === 0) return new Set();
    const { receipts, errors } = await this.#sendParts(parts);
    const created = receipts.filter(({ outcome }) => outcome === "created").map(({ key_hash }) => key_hash);
    if (errors[0] === undefined) return new Set(created);
    for (const write of new Set(parts.map(({ metadata }) => writeOf({ metadata: metadata ?? {} })))) {
      await this.#forgetParts(created, write);
    }
    throw storeFailure(errors[0]);
  }

  async #sendParts(parts: readonly EntryInput[]): Promise<StoredRecords> {
    const nameless = parts.map(({ sources: _, ...part }) => part);
    if (!this.#sources) return this.#memory.store(nameless);
    const isRefused = ({ code }: { readonly code: string }) => code === "unsupported";
    try {
      const stored = await this.#memory.store(parts);
      if (!stored.errors.some(isRefused)) return stored;
    } catch (error) {
      if (!isMemoryError(error) || !isRefused(error)) throw error;
    }
    this.#sources = false;
    return this.#memory.store(nameless);
  }

  /** What is left to do once a head is stored, or is not. */
  async #settle(plan: RecordPlan, isStored: boolean, created: ReadonlySet<string>): Promise<void> {
    const { parts, entry, old } = plan;
    const hashes = parts.map(hashOf);
    const write = writeOf({ metadata: entry.metadata ?? {} });
    if (!isStored) {
      // Those that were there may be another's, whose head has been stored or is about to be.
      return this.#forgetParts(
        hashes.filter((hash) => created.has(hash)),
        write,
      );
    }
    // All of a conversation may have been forgotten before there was a head to go with them.
    if ((await this.#count(hashes)) < hashes.length) {
      await this.#sendParts(parts);
      // Nor does what another has forgotten or replaced since come back.
      if (!(await this.#isThere(entry))) await this.#forgetParts(hashes, write);
    }
    if (old !== undefined && !hasSameParts(old, entry)) await this.#forgetPartsOf(old);
  }

  /**
   * Those of a head that has been replaced or forgotten, whatever writes they are of: where equal records are stored at
   * once, it bears the mark of one of them and its parts that of another. Those that are sent from now on stay.
   */
  async #forgetPartsOf(head: MemoryEntry): Promise<void> {
    const hashes = partHashes(head);
    const write = writeOf(head);
    const areOfOne = (await this.#count(hashes)) === (await this.#count(hashes, isOf(write)));
    const writes = areOfOne ? [write] : new Set((await this.#partsOf(head)).map(writeOf));
    if (await this.#isThere(head)) return;
    for (const each of writes) await this.#forgetParts(hashes, each);
  }

  async #forgetParts(hashes: readonly string[], write: string | undefined): Promise<void> {
    if (hashes.length === 0) return;
    await this.#memory.forget({ tier: this.#tier, keys: references(hashes), where: isOf(write) });
  }

  async #count(hashes: readonly string[], where?: Filter): Promise<number> {
    if (hashes.length === 0) return 0;
    const request = { tier: this.#tier, keys: references(hashes), ...(where && { where }), limit: 0 };
    return (await this.#memory.retrieve(request)).total;
  }

  /** Whether there is a head of the same content now. */
  async #isThere(head: Pick<EntryInput, "key" | "content" | "metadata">): Promise<boolean> {
    const hash = keyHash(head.key);
    const current = (await this.#heads([hash])).get(hash);
    return current !== undefined && hasSameParts(current, head);
  }

  /** Heads of these key hashes, by them. */
  async #heads(hashes: readonly string[]): Promise<Map<string, MemoryEntry>> {
    const found = new Map<string, MemoryEntry>();
    for (let from = 0; from < hashes.length; from += LIMITS.criteriaKeys) {
      const keys = references(hashes.slice(from, from + LIMITS.criteriaKeys));
      const heads = this.#memory.entries({ tier: this.#tier, keys, where: IS_HEAD });
      for await (const head of heads) found.set(head.key_hash, head);
    }
    return found;
  }

  /** A record as it was before it was split; the head where parts are missing; undefined for one that has gone meanwhile. */
  async #whole(entry: MemoryEntry): Promise<MemoryEntry | undefined> {
    let head = entry;
    for (let read = 1; isHead(head); read++) {
      const joined = joinRecord(head, await this.#partsOf(head));
      if (joined !== undefined) return withoutWrite(joined);
      const [current] = (await this.#memory.retrieve({ tier: this.#tier, keys: references([head.key_hash]) }))
        .entries;
      if (current === undefined) return undefined;
      if (current.revision === head.revision || read === READS_MAX) return head;
      head = { ...head, ...current };
    }
    return head;
  }

  async #partsOf(head: MemoryEntry): Promise<MemoryEntry[]> {
    const hashes = partHashes(head);
    const parts: MemoryEntry[] = [];
    if (hashes.length === 0) return parts;
    const request = { tier: this.#tier, keys: references(hashes) };
    for await (const part of this.#memory.entries(request)) parts.push(part);
    return parts;
  }
}

/** Whether there may be a head that these replace. */
function mayReplace(entries: readonly EntryInput[]): boolean {
  return entries.length > 1 || (entries[0]!.if_revision ?? 0) > 0;
}

/** Undefined: parts of writers that mark none. */
function isOf(write: string | undefined): Filter {
  const field = `metadata.${WRITE_FIELD}`;
  return write === undefined ? { field, op: "exists", value: false } : { field, op: "eq", value: write };
}

function hashOf({ key }: EntryInput): string {
  return keyHash(key);
}

function references(hashes: readonly string[]): { $hash: string }[] {
  return hashes.map((hash) => ({ $hash: hash }));
}
