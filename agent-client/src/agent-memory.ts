import {
  type Json,
  type KeyHashReference,
  type ListItem,
  type MemoryEntry,
  type MemoryForgetResponse,
  type MemoryKey,
  type MemoryListResponse,
  type MemoryRetrieveResponse,
  type MemoryStatusResponse,
  type MemoryTier,
  type Pong,
  type RequestType,
  type StoreReceipt,
  TIERS,
} from "@membus/protocol";
import {
  type CallOptions,
  type EntriesOptions,
  type RecallOptions,
  type RememberOptions,
  type ResolvedCallOptions,
  resolveCallOptions,
  resolveEntriesOptions,
  resolveRecallOptions,
  resolveRememberOptions,
  resolveStoreOptions,
  resolveWriteOptions,
  type StoreOptions,
  type WriteOptions,
} from "./call-options.js";
import type { ResolvedClientOptions } from "./client-options.js";
import {
  checkRequest,
  type Exchange,
  encodeRequest,
  encodingFor,
  type ForgetRequest,
  type ListRequest,
  malformed,
  newRequestId,
  type RetrieveRequest,
} from "./exchange/index.js";
import { checkIdentity, envelopeOf, subjectOf } from "./identity.js";
import { contentByTier, followPages, type ListResult, type RetrieveResult, requireWhole } from "./pages.js";
import { type EntryInput, type StoreResult, storeEntries, storeFailure } from "./store/index.js";
import { type OnEvent, type Watch, type WatchFilter, watchEvents } from "./watch.js";

export interface ForgetResult extends Pick<MemoryForgetResponse, "deleted" | "receipt"> {
  /** The id under which it was sent: what `forgetStatus` takes. */
  readonly requestId: string;
}
export type StatusResult = Pick<MemoryStatusResponse, "done" | "receipts" | "errors">;

/** What became of the bytes that a forget took. */
export interface ForgetStatus {
  /** Whether they are gone from disk. */
  readonly purge: "done" | "scheduled";
  /** Unix seconds: they were gone then. With `done` alone. */
  readonly purged_at?: number;
  /** Unix seconds: when they are gone at the latest. With `scheduled`, and absent where that is not known. */
  readonly purge_by?: number;
}

export type PingResult = Pick<Pong, "host_id" | "tiers">;

/** A key as criteria name it. */
export type KeyReference = MemoryKey | string | KeyHashReference;

/**
 * The memory of one agent, in one session and one namespace.
 *
 * First arguments are in the protocol's own names (snake_case), as they go on the wire; options of the call itself
 * come last, in camelCase. Results are the fields of the replies.
 *
 * Every method throws `MemoryError` for what the bus or the host reports, after the retries that the error allows,
 * and `TypeError`, before anything is sent, for a mistake in the call.
 */
export class AgentMemory {
  readonly #exchange: Exchange;
  readonly #settings: ResolvedClientOptions;

  constructor(exchange: Exchange, settings: ResolvedClientOptions) {
    checkIdentity(settings);
    this.#exchange = exchange;
    this.#settings = settings;
  }

  get agent(): string {
    return this.#settings.agent;
  }

  get tenant(): string {
    return this.#settings.tenant;
  }

  get session(): string {
    return this.#settings.session;
  }

  get namespace(): string {
    return this.#settings.namespace;
  }

  /** The memory of another agent, as far as the server lets this connection speak for it. Shares the connection. */
  forAgent(agent: string): AgentMemory {
    return new AgentMemory(this.#exchange, { ...this.#settings, agent });
  }

  /** The same with the working tier of another session. Shares the connection. */
  forSession(session: string): AgentMemory {
    return new AgentMemory(this.#exchange, { ...this.#settings, session });
  }

  /** The same in another namespace, `a/b/c`. Shares the connection. */
  inNamespace(namespace: string): AgentMemory {
    return new AgentMemory(this.#exchange, { ...this.#settings, namespace });
  }

  /**
   * Stores entries in the namespace of this view: any number, in requests of as many as fit. One that was retrieved
   * may be changed and stored again.
   *
   * @returns what became of each entry. One that is refused, such as one over 256 KiB (`too_large`, it is not sent),
   * is in `errors` and keeps none of its neighbours from being stored: look at `errors`, also for a single entry.
   * @throws {MemoryError} when the request failed as a whole, and nothing is known to be stored. Cites STORE-2.
   */
  async store(entries: EntryInput | readonly EntryInput[], options: StoreOptions = {}): Promise<StoreResult> {
    const inputs = Array.isArray(entries) ? (entries as readonly EntryInput[]) : [entries];
    return storeEntries(inputs, this.#settings, this.#exchange, resolveStoreOptions(options, this.#settings));
  }

  /**
   * One page of the entries that meet all criteria, the best or newest first; 10 unless `limit` says otherwise, in
   * this view's namespace unless `namespace` names another or a subtree `a/**`.
   *
   * What steers the ranking is off unless given: `recency` (newer entries count for more), `diversity` (0..1, entries
   * that are alike make room), `fields` (where the words are looked for), `rerank` (by the host's reranker). `expand`
   * adds the neighbours of each entry in its group, `explain` why it has its score.
   *
   * @returns no entries, and `total` 0, where there are none. `cursor` is there while more may follow: the same
   * request with it is the next page; with `diversity` and `rerank` there is one page. `degraded` names the tiers that could not, or not fully, be asked.
   * @throws {MemoryError} among others `unsupported` for a tier or mode that the host does not offer.
   */
  async retrieve(request: RetrieveRequest = {}, options: CallOptions = {}): Promise<RetrieveResult> {
    return this.#retrieve(request, resolveCallOptions(options, this.#settings));
  }

  /**
   * All entries that meet the criteria, page by page as they are read; `limit`, which has no bound here, ends it
   * earlier.
   *
   * @throws {TypeError} for `diversity` and `rerank`, which give one page: they are for `retrieve`.
   * @throws {MemoryError} also where `retrieve` would report a tier as `degraded`: nothing is left out in silence.
   */
  async *entries(request: RetrieveRequest = {}, options: EntriesOptions = {}): AsyncGenerator<MemoryEntry> {
    const resolved = resolveEntriesOptions(options, this.#settings);
    if (request.diversity || request.rerank)
      throw new TypeError("diversity and rerank give one page: retrieve it");
    for await (const { entries } of this.#pages(request, resolved, requireWhole)) yield* entries;
  }

  /**
   * What there is, without reading it: the distinct values of `field` among the entries that meet all criteria, or
   * without `field` the namespaces; 100 unless `limit` says otherwise. Of values in this view's namespace, and of
   * namespaces those below it, unless `namespace` names another, a subtree `a/**`, or `**` for all. Cites LIST-1, LIST-6.
   *
   * @returns items by `name`, `count` or `newest`, each with its `count`, `newest` (the latest `occurred_at`, Unix seconds)
   * and `bytes`; none, and `total` 0, where there are none. `cursor` is there while more may follow. `degraded` names the
   * tiers that could not be asked.
   * @throws {MemoryError} among others `unsupported` where the host or the tier cannot list, as one of version 1.0, which
   * may say `invalid_message`; `too_large` for more than 256 namespaces or 100,000 values.
   */
  async list(request: ListRequest = {}, options: CallOptions = {}): Promise<ListResult> {
    return this.#list(request, resolveCallOptions(options, this.#settings));
  }

  /**
   * All items of a list, page by page as they are read; `limit`, which has no bound here, ends it earlier.
   * @throws {MemoryError} also where `list` would report a tier as `degraded`.
   */
  async *items(request: ListRequest = {}, options: EntriesOptions = {}): AsyncGenerator<ListItem> {
    const resolved = resolveEntriesOptions(options, this.#settings);
    const { limit, cursor, ...fields } = request;
    const source = {
      fetch: (pageLimit: number, from: string | null | undefined) =>
        this.#list({ ...fields, limit: pageLimit, cursor: from }, resolved, requireWhole),
      sizeOf: (page: ListResult) => page.items.length,
    };
    const pages = followPages(source, { limit: limitOf(limit), pageSize: resolved.pageSize, cursor });
    for await (const { items } of pages) yield* items;
  }

  /**
   * Deletes all entries that meet all criteria; with `dry_run` it only counts them. Without criteria, and for all of
   * the shared tier, it needs `all: true`. Cites FORGET-1, FORGET-3.
   *
   * With `cascade: true` also what was derived from them, as the `sources` of entries say, in all namespaces of the agent:
   * an entry goes when none of its sources is left. Cites CASC-1.
   *
   * With `purge: true` the reply comes when no byte of them is left on disk; `timeout` says that it takes longer, and the same
   * request with the same id tells when it is done. Cites FORGET-9. Without, `forgetStatus` tells when that is.
   *
   * @returns how many were deleted, and by tier; 0 where there are none. With `cascade`, `receipt.cascaded` has how many of
   * them were derived, at each level; it is empty where none were.
   * @throws {MemoryError} among others, with `cascade`, `unsupported` where a tier cannot, and `too_large` for more than
   * 10,000 entries or 16 levels: then nothing of that tier is deleted.
   */
  async forget(criteria: ForgetRequest, options: WriteOptions = {}): Promise<ForgetResult> {
    const resolved = resolveWriteOptions(options, this.#settings);
    const fields = { ...criteria, namespace: criteria.namespace ?? this.namespace };
    const requestId = resolved.id ?? newRequestId();
    const reply = await this.#ask<MemoryForgetResponse>("memory/forget/req", fields, resolved, {
      id: requestId,
    });
    return { deleted: reply.deleted, receipt: reply.receipt, requestId };
  }

  /**
   * Stores one value under a key, in the working tier unless told otherwise.
   * @throws {MemoryError} also the error of the entry.
   */
  async remember(key: MemoryKey | string, value: Json, options: RememberOptions = {}): Promise<StoreReceipt> {
    const { tier, tags, ttl, score, ...rest } = resolveRememberOptions(options, this.#settings);
    const entry = { key, content: value, tier, tags, ttl, importance: score };
    const { receipts, errors } = await storeEntries([entry], this.#settings, this.#exchange, rest);
    if (errors[0] !== undefined) throw storeFailure(errors[0]);
    return receipts[0]!;
  }

  /**
   * The content under a key: of the working tier if it is there, else of the episodic, else of the semantic one.
   * One request asks them all.
   *
   * @returns `fallback` when there is no such entry; null is a content like any other.
   * @throws {MemoryError} when a tier fails that might have had the answer.
   */
  async recall<F = null>(
    key: KeyReference,
    fallback: F = null as F,
    options: RecallOptions = {},
  ): Promise<Json | F> {
    const { tier, ...resolved } = resolveRecallOptions(options, this.#settings);
    const request = { keys: [key], tier, limit: TIERS.length };
    const onePage = { ...resolved, pageSize: TIERS.length };
    const entries: MemoryEntry[] = [];
    for await (const page of this.#pages(request, onePage, (each) => contentByTier(each, fallback))) {
      entries.push(...page.entries);
    }
    return contentByTier({ entries }, fallback);
  }

  /**
   * What became of an earlier store of this agent, such as one with `ack: "queued"`. `requestId` is one of the
   * result's `requestIds`.
   * @throws {MemoryError} `memory_not_found` where the host does not know it, or no more.
   */
  async status(requestId: string, options: CallOptions = {}): Promise<StatusResult> {
    const resolved = resolveCallOptions(options, this.#settings);
    const fields = { request_id: requestId };
    const reply = await this.#ask<MemoryStatusResponse>("memory/status/req", fields, resolved);
    return { done: reply.done, receipts: reply.receipts, errors: reply.errors };
  }

  /**
   * Whether the bytes that an earlier forget of this agent took are gone from disk, and since or by when; what was `done` stays
   * so. `requestId` is that of the forget's result. Cites STATUS-5, STATUS-7.
   * @throws {MemoryError} `memory_not_found` where the host does not know it, or no more, as of one with `dry_run`;
   * `unsupported` where no tier tells.
   */
  async forgetStatus(requestId: string, options: CallOptions = {}): Promise<ForgetStatus> {
    const resolved = resolveCallOptions(options, this.#settings);
    const fields = { request_id: requestId, kind: "forget" };
    const reply = await this.#ask<MemoryStatusResponse>("memory/status/req", fields, resolved);
    const { purge, purged_at, purge_by } = reply;
    if (purge === undefined) throw malformed("it has no `purge`");
    return {
      purge,
      ...(purged_at !== undefined && { purged_at }),
      ...(purge_by !== undefined && { purge_by }),
    };
  }

  /**
   * Calls `onEvent` for what happens from now on to the agent's own entries, in every session and namespace, and to
   * those of the shared tier, whoever did it; with `agents: "all"` to those of every agent of the tenant. At most once each: what
   * happens while disconnected is missed.
   *
   * @throws {MemoryError} `unauthorized` where the server refuses the subscription.
   */
  async watch(filter: WatchFilter, onEvent: OnEvent): Promise<Watch> {
    return this.#exchange.watch((bus) => watchEvents(bus, this.#settings, filter, onEvent));
  }

  /** Which host answers now, and the tiers that it serves. Never tried again unless told to. */
  async ping(options: CallOptions = {}): Promise<PingResult> {
    const resolved = resolveCallOptions(options, { ...this.#settings, retryTimeoutMs: 0 });
    const reply = await this.#ask<Pong>("ping", {}, resolved);
    return { host_id: reply.host_id, tiers: reply.tiers };
  }

  async #retrieve(
    request: RetrieveRequest,
    options: ResolvedCallOptions,
    check?: Check<RetrieveResult>,
  ): Promise<RetrieveResult> {
    const fields = { ...request, namespace: request.namespace || this.namespace };
    const reply = await this.#ask<MemoryRetrieveResponse>("memory/retrieve/req", fields, options, { check });
    const { entries, total, total_relation, cursor, degraded, explain, took_ms } = reply;
    return {
      entries,
      total,
      total_relation,
      took_ms,
      ...(cursor !== undefined && { cursor }),
      ...(degraded !== undefined && { degraded }),
      ...(explain !== undefined && { explain }),
    };
  }

  async #list(
    request: ListRequest,
    options: ResolvedCallOptions,
    check?: Check<ListResult>,
  ): Promise<ListResult> {
    const own = request.field ? this.namespace : `${this.namespace}/**`;
    const fields = { ...request, namespace: request.namespace || own };
    const reply = await this.#ask<MemoryListResponse>("memory/list/req", fields, options, { check });
    const { items, total, total_relation, cursor, degraded } = reply;
    return {
      items,
      total,
      total_relation,
      ...(cursor !== undefined && { cursor }),
      ...(degraded !== undefined && { degraded }),
    };
  }

  #pages(
    request: RetrieveRequest,
    options: ResolvedCallOptions & { readonly pageSize: number },
    check: Check<RetrieveResult>,
  ) {
    const { limit, cursor, ...criteria } = request;
    const source = {
      fetch: (pageLimit: number, from: string | null | undefined) =>
        this.#retrieve({ ...criteria, limit: pageLimit, cursor: from }, options, check),
      sizeOf: (page: RetrieveResult) => page.entries.length,
    };
    const { pageSize } = options;
    return followPages(source, { limit: limitOf(limit), pageSize, cursor });
  }

  async #ask<T>(
    type: RequestType,
    fields: object,
    options: ResolvedCallOptions,
    { id = newRequestId(), check }: { readonly id?: string; readonly check?: Check<T> | undefined } = {},
  ): Promise<T> {
    const message = checkRequest(envelopeOf(this.#settings, type, id, options.timeoutMs), fields);
    const encoding = encodingFor(message, this.#settings.encoding);
    const { tier } = message as { readonly tier?: MemoryTier | null };
    const request = encodeRequest(subjectOf(this.#settings, type, tier ?? undefined), message, encoding);
    return this.#exchange.send(request, options, (message) => {
      const reply = message as T;
      check?.(reply);
      return reply;
    });
  }
}

/** Throws where a reply does not do; for a passing reason, so that the request is sent again. */
type Check<T> = (reply: T) => void;

/** @throws {TypeError} for what is no count. */
function limitOf(limit: number | null | undefined): number {
  if (limit == null) return Number.POSITIVE_INFINITY;
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw new TypeError(`limit must be an integer from 0, got ${String(limit)}`);
}
