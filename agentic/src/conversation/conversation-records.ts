import { type AgentMemory, type EntryInput, type RetrieveRequest, toMemoryError } from "@membus/agent-client";
import {
  type Filter,
  keyHash,
  LIMITS,
  type MemoryEntry,
  type MemoryTier,
  type StoreReceipt,
} from "@membus/protocol";
import type { RecordKind } from "@membus/protocol/records";
import { kindIs } from "../kind-filter.js";
import { LongRecords } from "../long-records/index.js";
import { messageSources } from "../sources.js";
import { CONVERSATIONS_NAMESPACE, type ResolvedConversationOptions } from "./conversation-options.js";
import { type ConversationMessage, inOrder, readMessage } from "./message.js";
import { readSummary, type Summary } from "./summary.js";

export type NewRecord = Omit<EntryInput, "tier" | "group">;

/** The result of a store: receipts by the index of their record, and the indices of conflicts. */
export interface WrittenRecords {
  readonly receipts: ReadonlyMap<number, StoreReceipt>;
  /** Indices of the records with an `if_revision` that did not match. */
  readonly conflicts: readonly number[];
}

/**
 * Number of newest summaries that are read. Concurrent processes can write several, and the one that covers
 * the most counts.
 */
const SUMMARIES_READ = 8;

/**
 * The stored records of one conversation: one group in one tier. Records larger than an entry are read whole.
 * Their parts are not returned as records.
 */
export class ConversationRecords {
  readonly conversation: string;
  readonly #memory: AgentMemory;
  readonly #tier: MemoryTier;
  readonly #keepsSources: boolean;
  readonly #long: LongRecords;

  constructor(
    memory: AgentMemory,
    { id, tier, sources }: Pick<ResolvedConversationOptions, "id" | "tier" | "sources">,
  ) {
    this.conversation = id;
    this.#keepsSources = sources;
    this.#memory = memory.inNamespace(CONVERSATIONS_NAMESPACE);
    this.#tier = tier;
    this.#long = new LongRecords(this.#memory, tier);
  }

  /** Agent and session of the client that the records belong to. */
  get context(): { readonly agent: string; readonly session: string } {
    return { agent: this.#memory.agent, session: this.#memory.session };
  }

  key(message: string): { conversation: string; message: string } {
    return { conversation: this.conversation, message };
  }

  /** Yields records of a kind, fetched in pages of `pageSize`. */
  entries(
    kind: RecordKind,
    request: RetrieveRequest = {},
    pageSize: number = LIMITS.retrieveLimit,
  ): AsyncGenerator<MemoryEntry> {
    return this.#long.entries(this.#select(kind, request), { pageSize });
  }

  /** Returns one page of records of a kind, by relevance to a query. */
  async search(kind: RecordKind, request: RetrieveRequest): Promise<readonly MemoryEntry[]> {
    return this.#long.page(this.#select(kind, request));
  }

  async count(kind: RecordKind): Promise<number> {
    const { total, total_relation } = await this.#memory.retrieve(this.#select(kind, { limit: 0 }));
    if (total_relation === "eq") return total;
    let counted = 0;
    for await (const _ of this.entries(kind)) counted++;
    return counted;
  }

  /** Returns matching messages, in the conversation's order. */
  async messages(request: RetrieveRequest = {}): Promise<ConversationMessage[]> {
    const found: ConversationMessage[] = [];
    for await (const message of this.eachMessage({ order: "oldest", ...request })) found.push(message);
    return found.sort(inOrder);
  }

  async *eachMessage(request: RetrieveRequest, pageSize?: number): AsyncGenerator<ConversationMessage> {
    for await (const entry of this.entries("message", request, pageSize)) {
      const message = readMessage(entry);
      if (message !== undefined) yield message;
    }
  }

  /** Returns the existing messages with these ids, in the conversation's order. */
  async messagesById(ids: readonly string[]): Promise<ConversationMessage[]> {
    const found: ConversationMessage[] = [];
    for (const part of chunks(ids)) {
      found.push(...(await this.messages({ keys: part.map((id) => this.key(id)) })));
    }
    return found.sort(inOrder);
  }

  /** Returns the key hashes of the newest 64 messages of a range. */
  async sourcesWithin({ from, to }: Summary["covers"]): Promise<string[]> {
    const ids: string[] = [];
    if (to === 0) return ids;
    for await (const { id, seq } of this.eachMessage({ order: "newest" })) {
      if (seq >= from && seq <= to) ids.unshift(id);
      if (ids.length === LIMITS.sources) break;
    }
    return messageSources(this.conversation, ids);
  }

  /** Returns whether all these messages still exist and are unchanged since they were read. */
  async areUnchanged(messages: readonly Pick<ConversationMessage, "id" | "updated">[]): Promise<boolean> {
    const latest = messages.reduce((time, { updated }) => Math.max(time, updated), 0);
    const where = { field: "updated", op: "lte", value: latest } as const;
    for (const part of chunks(messages)) {
      const keys = part.map(({ id }) => this.key(id));
      const { total } = await this.#memory.retrieve(this.#select("message", { keys, where, limit: 0 }));
      if (total < part.length) return false;
    }
    return true;
  }

  /** Returns the summary that covers the most. */
  async summary(): Promise<Summary | undefined> {
    const entries = await this.search("summary", { order: "newest", limit: SUMMARIES_READ });
    const summaries = entries.map(readSummary).filter((summary) => summary !== undefined);
    return summaries.sort((a, b) => b.covers.to - a.covers.to)[0];
  }

  /**
   * Stores records.
   * @throws {MemoryError} the first failure of a record that is not a conflict. The other records stay
   * stored.
   */
  async store(records: readonly NewRecord[]): Promise<WrittenRecords> {
    if (records.length === 0) return { receipts: new Map(), conflicts: [] };
    const entries = records.map(({ sources, ...record }) => ({
      ...record,
      group: this.conversation,
      ...(this.#keepsSources && sources != null && { sources }),
    }));
    const { receipts, errors } = await this.#long.store(entries, { replacing: true });
    const failure = errors.find(({ code }) => code !== "conflict");
    if (failure !== undefined) throw toMemoryError(failure);
    return {
      receipts: new Map(receipts.map((receipt) => [receipt.index, receipt])),
      conflicts: errors.map(({ index }) => index),
    };
  }

  /** Forgets entries that match all criteria. @returns their number. */
  async forget(criteria: { readonly where?: Filter; readonly keys?: readonly object[] }): Promise<number> {
    const { where, keys } = criteria;
    const request = { group: this.conversation, ...(where && { where }) };
    const parts = keys === undefined ? [{}] : chunks(keys).map((part) => ({ keys: part as never }));
    let deleted = 0;
    for (const part of parts) deleted += await this.#long.forget({ ...request, ...part });
    return deleted;
  }

  /**
   * Forgets all entries in one request, including parts without a head. `kept` is the id of a message that
   * stays. @returns their number.
   */
  async forgetAll(kept?: string): Promise<number> {
    const all = kindIs("message", "summary", "offload", "part");
    const where: Filter = kept === undefined ? all : { all: [all, { not: this.#matchesMessage(kept) }] };
    return (await this.#memory.forget({ tier: this.#tier, group: this.conversation, where })).deleted;
  }

  /** Forgets the entries derived from messages, because they repeat their content. */
  async forgetDerived(messages: readonly Pick<ConversationMessage, "id" | "seq">[]): Promise<number> {
    let deleted = 0;
    for (const part of chunks(messages)) deleted += await this.forget({ where: derivedFrom(part) });
    return deleted;
  }

  /** Selects a message and its parts. */
  #matchesMessage(message: string): Filter {
    return {
      any: [
        { field: "key.message", op: "eq", value: message },
        { field: "key.head", op: "eq", value: keyHash(this.key(message)) },
      ],
    };
  }

  #select(kind: RecordKind, { where, ...request }: RetrieveRequest): RetrieveRequest {
    const isKind = kindIs(kind);
    return {
      ...request,
      tier: this.#tier,
      group: this.conversation,
      where: where == null ? isKind : { all: [isKind, where] },
    };
  }
}

/** Selects summaries that cover a message in the range of these, and the texts offloaded from these. */
function derivedFrom(messages: readonly Pick<ConversationMessage, "id" | "seq">[]): Filter {
  const seqs = messages.map(({ seq }) => seq);
  return {
    any: [
      {
        all: [
          kindIs("summary"),
          { field: "metadata.from", op: "lte", value: Math.max(...seqs) },
          { field: "metadata.to", op: "gte", value: Math.min(...seqs) },
        ],
      },
      {
        all: [
          kindIs("offload"),
          { field: "metadata.message", op: "in", value: messages.map(({ id }) => id) },
        ],
      },
    ],
  };
}

/** Splits a list into chunks for one request each. */
function chunks<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / LIMITS.criteriaKeys);
  return Array.from({ length: count }, (_, n) =>
    items.slice(n * LIMITS.criteriaKeys, (n + 1) * LIMITS.criteriaKeys),
  );
}
