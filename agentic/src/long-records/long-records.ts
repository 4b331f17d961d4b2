import {
  type AgentMemory,
  type EntriesOptions,
  type EntryInput,
  type ForgetRequest,
  type RetrieveRequest,
  toMemoryError,
  updateWithRetry,
} from "@membus/agent-client";
import {
  type Filter,
  isMemoryError,
  keyHash,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type MemoryTier,
  type StoreError,
  type StoreReceipt,
} from "@membus/protocol";
import { isHead, joinRecord } from "@membus/protocol/records";
import {
  type Draft,
  draftOf,
  isSameWrite,
  nextDraft,
  partHashes,
  planRecord,
  type RecordPlan,
} from "./record-plan.js";

/** Maximum number of reads of a head while its parts are being replaced. */
const READS_MAX = 8;

const IS_HEAD: Filter = { field: "metadata.parts", op: "exists", value: true };
const IS_PART: Filter = { field: "metadata.kind", op: "eq", value: "part" };

export interface StoreRecordsOptions {
  /**
   * Whether to look for the parts of existing records, whatever replaces them. False: only for entries that
   * are conditional or large.
   */
  readonly replacing?: boolean | undefined;
}

/** Results by index in the call. */
export interface StoredRecords {
  readonly receipts: readonly StoreReceipt[];
  readonly errors: readonly StoreError[];
}

interface Stored {
  readonly receipts: StoreReceipt[];
  readonly errors: StoreError[];
}

/**
 * Records of up to 180 MB, in one tier and the namespace of `memory`. Records larger than an entry are stored
 * in parts (chapter 7). Parts are stored before their head and forgotten after it. A crash in between leaves
 * parts that no reader sees. A cascade from their head, or forgetting their whole group, deletes them.
 */
export class LongRecords {
  readonly #memory: AgentMemory;
  readonly #tier: MemoryTier;
  /** Whether parts list their head in `sources`. A tier without support for sources rejects such parts. */
  #sources = true;

  constructor(memory: AgentMemory, tier: MemoryTier) {
    this.#memory = memory;
    this.#tier = tier;
  }

  /**
   * Stores records in their order. Parts of a large record are stored before it. Parts of the replaced record
   * are forgotten if they were looked for, which requires a tier that declares `conditional`.
   * @throws {MemoryError} `too_large` for a record over 180 MB, failures of parts, and `conflict` if other
   * writers keep replacing an unconditional record. Other records of the call may be stored.
   */
  async store(
    inputs: readonly EntryInput[],
    { replacing = false }: StoreRecordsOptions = {},
  ): Promise<StoredRecords> {
    const stored: Stored = { receipts: [], errors: [] };
    let left = inputs.map((input, index) => draftOf({ ...input, tier: this.#tier }, index));
    try {
      await updateWithRetry(
        () => this.#plans(left, replacing),
        (plans) => (plans.length === 0 ? undefined : plans),
        async (plans) => {
          left = await this.#storePlans(plans, stored);
          return left.length === 0 || undefined;
        },
        {
          onExhausted: () => {
            throw conflictError(left[0]!);
          },
        },
      );
    } catch (error) {
      if (!isMemoryError(error) || isRefusal(error)) {
        for (const draft of left) await this.#forgetUnused(draft);
      }
      throw error;
    }
    return stored;
  }

  /**
   * Yields matching records in the order of the request, with their whole content. A head is yielded only if
   * parts are missing.
   */
  async *entries(request: RetrieveRequest, options: EntriesOptions = {}): AsyncGenerator<MemoryEntry> {
    for await (const entry of this.#memory.entries({ ...request, tier: this.#tier }, options)) {
      const readWhole = await this.whole(entry);
      if (readWhole !== undefined) yield readWhole;
    }
  }

  /** Returns one page of records with their whole content, as `entries` does. */
  async page(request: RetrieveRequest): Promise<MemoryEntry[]> {
    const { entries } = await this.#memory.retrieve({ ...request, tier: this.#tier });
    const whole: (MemoryEntry | undefined)[] = [];
    for (const entry of entries) whole.push(await this.whole(entry));
    return whole.filter((entry) => entry !== undefined);
  }

  /** Forgets records and their parts. @returns the number of records. */
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

  /** Reads the entries under the keys of large records, and the heads that small records may replace. */
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
      return { ...draft, draft, old: undefined, hasAddedCondition: false };
    });
  }

  /** @returns the drafts of records that another writer replaced concurrently. */
  async #storePlans(plans: readonly RecordPlan[], done: Stored): Promise<Draft[]> {
    await this.#storeParts(plans.filter(({ isSent, draft }) => isSent && !draft.isSent));
    const { receipts, errors } = await this.#memory.store(
      plans.map(({ entry }) => entry),
      { partial: true },
    );
    // The last of several records with one key counts. The others get the host's conflict errors.
    const last = new Map(plans.map(({ input, index }) => [hashOf(input), index]));
    const beaten: Draft[] = [];
    for (const error of errors) {
      const plan = plans[error.index]!;
      const isBeaten = error.code === "conflict" && plan.hasAddedCondition;
      if (isBeaten && last.get(hashOf(plan.input)) === plan.index) {
        beaten.push(nextDraft(plan));
        continue;
      }
      if (plan.isSent && isRefusal(error)) await this.#forgetUnused(plan);
      done.errors.push({ ...error, index: plan.index });
    }
    for (const receipt of receipts) {
      const plan = plans[receipt.index]!;
      await this.#finishStore(plan);
      done.receipts.push({ ...receipt, index: plan.index });
    }
    return beaten;
  }

  async #storeParts(plans: readonly RecordPlan[]): Promise<void> {
    const parts = plans.flatMap((plan) => plan.parts);
    if (parts.length === 0) return;
    const { errors } = await this.#sendParts(parts);
    if (errors[0] !== undefined) throw toMemoryError(errors[0]);
  }

  async #sendParts(parts: readonly EntryInput[]): Promise<StoredRecords> {
    const nameless = parts.map(({ sources: _, ...part }) => part);
    if (!this.#sources) return this.#memory.store(nameless, { partial: true });
    const isRefused = ({ code }: { readonly code: string }) => code === "unsupported";
    try {
      const stored = await this.#memory.store(parts, { partial: true });
      if (!stored.errors.some(isRefused)) return stored;
    } catch (error) {
      if (!isMemoryError(error) || !isRefused(error)) throw error;
    }
    this.#sources = false;
    return this.#memory.store(nameless, { partial: true });
  }

  /** Completes the store of a record. */
  async #finishStore(plan: RecordPlan): Promise<void> {
    const { parts, entry, old } = plan;
    const hashes = parts.map(hashOf);
    // The whole conversation may have been forgotten before the head existed, which then did not delete
    // the parts.
    if ((await this.#count(hashes)) < hashes.length) {
      await this.#storeParts([plan]);
      await this.#forgetUnused(plan);
    }
    if (old !== undefined && !isSameWrite(old, entry)) await this.#forgetParts(partHashes(old));
  }

  /**
   * Forgets the parts of a head that is not stored. A replaced or forgotten write never comes back: a head
   * reuses the parts of an earlier head only if it replaces exactly that one.
   */
  async #forgetUnused({ parts, entry }: Draft): Promise<void> {
    if (parts.length === 0) return;
    const hash = hashOf(entry);
    const current = (await this.#find([hash], IS_HEAD)).get(hash);
    if (current === undefined || !isSameWrite(current, entry)) await this.#forgetParts(partHashes(entry));
  }

  /**
   * Forgets a head if it is unchanged since it was read. Another writer that replaced or forgot it cleans up
   * its parts.
   */
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

  /** Returns the entries with these key hashes, by hash. */
  async #find(hashes: readonly string[], where?: Filter): Promise<Map<string, MemoryEntry>> {
    const found = new Map<string, MemoryEntry>();
    for (const keys of pagesOf(hashes)) {
      const entries = this.#memory.entries({ tier: this.#tier, keys, ...(where && { where }) });
      for await (const entry of entries) found.set(entry.key_hash, entry);
    }
    return found;
  }

  /**
   * Returns the whole record, or its head if parts are missing. undefined if it was forgotten concurrently.
   */
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

/** Codes after which an entry may have been stored. */
const UNKNOWN_CODES = new Set(["timeout", "unavailable", "runtime_error"]);

function isRefusal({ code }: { readonly code: string }): boolean {
  return !UNKNOWN_CODES.has(code);
}

function conflictError({ input }: Draft): MemoryError {
  return new MemoryError(
    "conflict",
    `other writers keep changing the record ${JSON.stringify(input.key)}. Try again`,
  );
}

function hashOf({ key }: EntryInput): string {
  return keyHash(key);
}

/** Splits hashes into lists of keys for one request each. */
function pagesOf(hashes: readonly string[]): { $hash: string }[][] {
  const size = LIMITS.criteriaKeys;
  const pages = Array.from({ length: Math.ceil(hashes.length / size) }, (_, n) => n * size);
  return pages.map((from) => hashes.slice(from, from + size).map((hash) => ({ $hash: hash })));
}
