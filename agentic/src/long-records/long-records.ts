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
  type SplitRecord,
  splitInto,
} from "./record-plan.js";

/** A head whose parts another forgets when it replaces it is read again, so often. */
const READS_MAX = 8;

/** A record without a condition that others replace meanwhile, each time, is tried so often; then it is a `conflict`. */
const ATTEMPTS_MAX = 16;

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
 * leaves parts that no reader sees, and that go with a cascade from their head, or when all of its group is forgotten.
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
   * and needs no longer, is forgotten where it was looked for. Needs a tier that declares `conditional` for large records.
   * @throws {MemoryError} `too_large` for one of more than 180 MB, and what befalls parts: then no record is stored.
   */
  async store(
    inputs: readonly EntryInput[],
    { replacing = false }: StoreRecordsOptions = {},
  ): Promise<StoredRecords> {
    const receipts: StoreReceipt[] = [];
    const errors: StoreError[] = [];
    const last = new Map(inputs.map((input, index) => [hashOf(input), index]));
    let left = [...inputs.keys()];
    for (let attempt = 1; left.length > 0; attempt++) {
      const tried = left;
      const { plans, stored } = await this.#tryStore(
        tried.map((index) => inputs[index]!),
        replacing,
      );
      const isBeaten = ({ code, index }: StoreError) =>
        code === "conflict" &&
        plans[index]!.isUnconditional &&
        last.get(hashOf(plans[index]!.entry)) === tried[index] &&
        attempt < ATTEMPTS_MAX;
      left = stored.errors.filter(isBeaten).map(({ index }) => tried[index]!);
      receipts.push(...stored.receipts.map((receipt) => ({ ...receipt, index: tried[receipt.index]! })));
      const failed = stored.errors.filter((error) => !isBeaten(error));
      errors.push(...failed.map((error) => ({ ...error, index: tried[error.index]! })));
    }
    return { receipts, errors };
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
    for (const head of heads) await this.#forgetUnused(head);
    return deleted;
  }

  async #tryStore(inputs: readonly EntryInput[], replacing: boolean) {
    const given = inputs.map((input) => ({ ...input, tier: this.#tier }));
    const split = given.map((input) => splitInto(input));
    const current = await this.#current(split, replacing);
    const plans = given.map((input, index) => planRecord(input, split[index]!, current.get(hashOf(input))));
    await this.#storeParts(plans.filter(({ isSent }) => isSent));
    const stored = await this.#memory.store(plans.map(({ entry }) => entry));
    const isStored = new Set(stored.receipts.map(({ index }) => index));
    for (const [index, plan] of plans.entries()) await this.#settle(plan, isStored.has(index));
    return { plans, stored };
  }

  /** What is under the keys of large records now; of small ones, heads that they may replace. */
  async #current(split: readonly SplitRecord[], replacing: boolean): Promise<Map<string, MemoryEntry>> {
    const hashesOf = (some: readonly SplitRecord[]) => some.map((entries) => hashOf(entries.at(-1)!));
    const large = split.filter(({ length }) => length > 1);
    const small = split.filter(({ length }) => length === 1);
    const replacers = replacing ? small : small.filter(([entry]) => (entry!.if_revision ?? 0) > 0);
    const heads = await this.#find(hashesOf(replacers), IS_HEAD);
    return new Map([...heads, ...(await this.#find(hashesOf(large)))]);
  }

  /** Where one is refused, none of these is left. */
  async #storeParts(plans: readonly RecordPlan[]): Promise<void> {
    const parts = plans.flatMap((plan) => plan.parts);
    if (parts.length === 0) return;
    const { errors } = await this.#sendParts(parts);
    if (errors[0] === undefined) return;
    await this.#forgetParts(parts.map(hashOf));
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
  async #settle(plan: RecordPlan, isStored: boolean): Promise<void> {
    const { parts, isSent, entry, old } = plan;
    const hashes = parts.map(hashOf);
    if (!isStored) {
      if (isSent) await this.#forgetUnused(entry);
      return;
    }
    // All of a conversation may have been forgotten before there was a head to go with them.
    if ((await this.#count(hashes)) < hashes.length) {
      await this.#storeParts([plan]);
      await this.#forgetUnused(entry);
    }
    if (old !== undefined && !hasSameParts(old, entry)) await this.#forgetParts(partHashes(old));
  }

  /**
   * Forgets the parts of a head, if it is not there. What has been replaced or forgotten once is not there again: a head
   * names the parts of one before it only where it replaces just that one.
   */
  async #forgetUnused(head: Pick<EntryInput, "key" | "content" | "metadata">): Promise<void> {
    const hash = keyHash(head.key);
    const current = (await this.#find([hash], IS_HEAD)).get(hash);
    if (current === undefined || !hasSameParts(current, head)) await this.#forgetParts(partHashes(head));
  }

  async #forgetParts(hashes: readonly string[]): Promise<void> {
    for (const keys of pagesOf(hashes)) await this.#memory.forget({ tier: this.#tier, keys });
  }

  async #count(hashes: readonly string[]): Promise<number> {
    let count = 0;
    for (const keys of pagesOf(hashes)) {
      count += (await this.#memory.retrieve({ tier: this.#tier, keys, limit: 0 })).total;
    }
    return count;
  }

  /** Entries of these key hashes, by them. */
  async #find(hashes: readonly string[], where?: Filter): Promise<Map<string, MemoryEntry>> {
    const found = new Map<string, MemoryEntry>();
    for (const keys of pagesOf(hashes)) {
      const entries = this.#memory.entries({ tier: this.#tier, keys, ...(where && { where }) });
      for await (const entry of entries) found.set(entry.key_hash, entry);
    }
    return found;
  }

  /** A record as it was before it was split; the head where parts are missing; undefined for one that has gone meanwhile. */
  async #whole(entry: MemoryEntry): Promise<MemoryEntry | undefined> {
    let head = entry;
    for (let read = 1; isHead(head); read++) {
      const joined = joinRecord(head, await this.#partsOf(head));
      if (joined !== undefined) return joined;
      const current = (await this.#find([head.key_hash])).get(head.key_hash);
      if (current === undefined) return undefined;
      if (current.revision === head.revision || read === READS_MAX) return head;
      head = { ...head, ...current };
    }
    return head;
  }

  async #partsOf(head: MemoryEntry): Promise<MemoryEntry[]> {
    return [...(await this.#find(partHashes(head))).values()];
  }
}

function hashOf({ key }: EntryInput): string {
  return keyHash(key);
}

/** As many keys as a request may name, at a time. */
function pagesOf(hashes: readonly string[]): { $hash: string }[][] {
  const size = LIMITS.criteriaKeys;
  const pages = Array.from({ length: Math.ceil(hashes.length / size) }, (_, n) => n * size);
  return pages.map((from) => hashes.slice(from, from + size).map((hash) => ({ $hash: hash })));
}
