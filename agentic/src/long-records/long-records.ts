import {
  type AgentMemory,
  type EntriesOptions,
  type EntryInput,
  type ForgetRequest,
  pauseAfterConflict,
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
  MemoryError,
  type MemoryTier,
  type StoreError,
  type StoreReceipt,
  systemClock,
} from "@membus/protocol";
import {
  type Draft,
  draftOf,
  isSameWrite,
  nextDraft,
  partHashes,
  planRecord,
  type RecordPlan,
} from "./record-plan.js";

/** A head whose parts another forgets when it replaces it is read again, so often. */
const READS_MAX = 8;

/** A record without a condition that others replace meanwhile, each time, is tried so often. */
const ATTEMPTS_MAX = 16;

const IS_HEAD: Filter = { field: "metadata.parts", op: "exists", value: true };
const IS_PART: Filter = { field: "metadata.kind", op: "eq", value: "part" };

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

interface Stored {
  readonly receipts: StoreReceipt[];
  readonly errors: StoreError[];
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
   * and needs no longer, is forgotten where it was looked for, which needs a tier that declares `conditional`.
   * @throws {MemoryError} `too_large` for one of more than 180 MB, what befalls parts, and `conflict` for a record without a
   *   condition that others replace all the time. Others of the call may be stored then.
   */
  async store(
    inputs: readonly EntryInput[],
    { replacing = false }: StoreRecordsOptions = {},
  ): Promise<StoredRecords> {
    const stored: Stored = { receipts: [], errors: [] };
    let left = inputs.map((input, index) => draftOf({ ...input, tier: this.#tier }, index));
    for (let attempt = 1; left.length > 0; attempt++) {
      if (attempt > 1) await pauseAfterConflict(attempt, systemClock);
      try {
        if (attempt > ATTEMPTS_MAX) throw contended(left[0]!);
        left = await this.#storePlans(await this.#plans(left, replacing), stored);
      } catch (error) {
        if (!isMemoryError(error) || isRefusal(error)) {
          for (const draft of left) await this.#forgetUnused(draft);
        }
        throw error;
      }
    }
    return stored;
  }

  /**
   * Those that meet a request, whole, in its order. A head that is yielded is one whose parts are not all there.
   */
  async *entries(request: RetrieveRequest, options: EntriesOptions = {}): AsyncGenerator<MemoryEntry> {
    for await (const entry of this.#memory.entries({ ...request, tier: this.#tier }, options)) {
      const whole = await this.whole(entry);
      if (whole !== undefined) yield whole;
    }
  }

  /** One page of them, whole: as `entries`. */
  async page(request: RetrieveRequest): Promise<MemoryEntry[]> {
    const { entries } = await this.#memory.retrieve({ ...request, tier: this.#tier });
    const whole: (MemoryEntry | undefined)[] = [];
    for (const entry of entries) whole.push(await this.whole(entry));
    return whole.filter((entry) => entry !== undefined);
  }

  /** Forgets records and their parts, and counts the records. */
  async forget(request: Omit<ForgetRequest, "tier" | "namespace" | "all">): Promise<number> {
    const given = request.where ? [request.where] : [];
    const criteria = (...all: readonly Filter[]) => ({
      ...request,
      tier: this.#tier,
      where: { all: [...all, ...given] },
    });
    let { deleted: count } = await this.#memory.forget(criteria({ not: IS_HEAD }, { not: IS_PART }));
    for (let read = 1, isMissed = true; isMissed && read <= READS_MAX; read++) {
      const heads: MemoryEntry[] = [];
      for await (const head of this.#memory.entries(criteria(IS_HEAD))) heads.push(head);
      const counts: number[] = [];
      for (const head of heads) counts.push(await this.#forgetHead(head));
      count += counts.reduce((sum, deleted) => sum + deleted, 0);
      isMissed = counts.includes(0);
    }
    return count;
  }

  /** What is under the keys of large records, and of small ones that may replace a head. */
  async #plans(drafts: readonly Draft[], replacing: boolean): Promise<RecordPlan[]> {
    const isLookedFor = ({ parts, input }: Draft) =>
      parts.length > 0 || (replacing && input.if_revision == null);
    const isReplacing = ({ input }: Draft) => (input.if_revision ?? 0) > 0;
    const hashesOf = (some: readonly Draft[]) => some.map(({ input }) => hashOf(input));
    const replacers = drafts.filter((draft) => isReplacing(draft) && !isLookedFor(draft));
    const heads = await this.#find(hashesOf(replacers), IS_HEAD);
    const current = await this.#find(hashesOf(drafts.filter(isLookedFor)));
    return drafts.map((draft) => {
      const hash = hashOf(draft.input);
      const there = current.get(hash) ?? heads.get(hash);
      if (isLookedFor(draft) || there !== undefined) return planRecord(draft, there);
      return { ...draft, draft, old: undefined, isOurCondition: false };
    });
  }

  /** @returns those whose place another has taken since it was looked for. */
  async #storePlans(plans: readonly RecordPlan[], done: Stored): Promise<Draft[]> {
    await this.#storeParts(plans.filter(({ isSent, draft }) => isSent && !draft.isSent));
    const { receipts, errors } = await this.#memory.store(plans.map(({ entry }) => entry));
    // Of several of one key the last counts, and the others are the conflicts that the host says.
    const last = new Map(plans.map(({ input, index }) => [hashOf(input), index]));
    const beaten: Draft[] = [];
    for (const error of errors) {
      const plan = plans[error.index]!;
      const isBeaten = error.code === "conflict" && plan.isOurCondition;
      if (isBeaten && last.get(hashOf(plan.input)) === plan.index) {
        beaten.push(nextDraft(plan));
        continue;
      }
      if (plan.isSent && isRefusal(error)) await this.#forgetUnused(plan);
      done.errors.push({ ...error, index: plan.index });
    }
    for (const receipt of receipts) {
      const plan = plans[receipt.index]!;
      await this.#settle(plan);
      done.receipts.push({ ...receipt, index: plan.index });
    }
    return beaten;
  }

  async #storeParts(plans: readonly RecordPlan[]): Promise<void> {
    const parts = plans.flatMap((plan) => plan.parts);
    if (parts.length === 0) return;
    const { errors } = await this.#sendParts(parts);
    if (errors[0] !== undefined) throw storeFailure(errors[0]);
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

  /** What is left to do once a record is stored. */
  async #settle(plan: RecordPlan): Promise<void> {
    const { parts, entry, old } = plan;
    const hashes = parts.map(hashOf);
    // All of a conversation may have been forgotten before there was a head to go with them.
    if ((await this.#count(hashes)) < hashes.length) {
      await this.#storeParts([plan]);
      await this.#forgetUnused(plan);
    }
    if (old !== undefined && !isSameWrite(old, entry)) await this.#forgetParts(partHashes(old));
  }

  /**
   * Forgets the parts of a head, if it is not there. What has been replaced or forgotten once is not there again: a head
   * names the parts of one before it only where it replaces just that one.
   */
  async #forgetUnused({ parts, entry }: Draft): Promise<void> {
    if (parts.length === 0) return;
    const hash = hashOf(entry);
    const current = (await this.#find([hash], IS_HEAD)).get(hash);
    if (current === undefined || !isSameWrite(current, entry)) await this.#forgetParts(partHashes(entry));
  }

  /** As it was read: whoever has replaced or forgotten it sees to its parts. */
  async #forgetHead(head: MemoryEntry): Promise<number> {
    const where = { field: "updated", op: "lte", value: head.timestamps.updated } as const;
    const [keys] = pagesOf([head.key_hash]);
    const { deleted } = await this.#memory.forget({ tier: this.#tier, keys, where });
    if (deleted > 0) await this.#forgetParts(partHashes(head));
    return deleted;
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
  async whole(entry: MemoryEntry): Promise<MemoryEntry | undefined> {
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

/** Codes with which an entry may be stored all the same, or soon be. */
const UNKNOWN_CODES = new Set(["timeout", "unavailable", "runtime_error"]);

function isRefusal({ code }: { readonly code: string }): boolean {
  return !UNKNOWN_CODES.has(code);
}

function contended({ input }: Draft): MemoryError {
  return new MemoryError("conflict", `others change the record ${JSON.stringify(input.key)} all the time`);
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
