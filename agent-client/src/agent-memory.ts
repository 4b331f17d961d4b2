import {
  type Json,
  type ListItem,
  type MemoryAgentsResponse,
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
  CallOptionsSchema,
  type EntriesOptions,
  EntriesOptionsSchema,
  parseCallOptions,
  type RecallOptions,
  RecallOptionsSchema,
  type RememberOptions,
  RememberOptionsSchema,
  type ResolvedCallOptions,
  type StoreOptions,
  StoreOptionsSchema,
  type WriteOptions,
  WriteOptionsSchema,
} from "./call-options.js";
import type { ResolvedClientOptions } from "./client-options.js";
import type { OnEvent } from "./event-feeds.js";
import {
  type AgentsRequest,
  checkRequest,
  type Exchange,
  encodeRequest,
  encodingFor,
  type ForgetRequest,
  type ListRequest,
  malformedReply,
  newRequestId,
  type RetrieveRequest,
} from "./exchange/index.js";
import { checkIdentity, createEnvelope, subjectOf } from "./identity.js";
import {
  type AgentsResult,
  contentByTier,
  followPages,
  type ListResult,
  presentFields,
  type RetrieveResult,
  requireAnswers,
  requireComplete,
} from "./pages.js";
import type { ForgetResult, ForgetStatus, KeyReference, PingResult, StatusResult } from "./results.js";
import {
  type EntryInput,
  RefusedEntriesError,
  type StoredEntries,
  type StoreResult,
  storeEntries,
} from "./store/index.js";
import { type Watch, type WatchFilter, watchEvents } from "./watch.js";

/**
 * Memory of one agent, in one session and one namespace.
 *
 * First arguments use the protocol's names (snake_case), as on the wire. Call options come last, in
 * camelCase. Results are the fields of the replies.
 *
 * Every method throws `MemoryError` for errors of the bus or the host, after the retries that the error
 * allows. Every method throws `TypeError` for an invalid call, before anything is sent.
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

  /** Returns the memory of another agent, which the server must permit. Shares the connection. */
  forAgent(agent: string): AgentMemory {
    return new AgentMemory(this.#exchange, { ...this.#settings, agent });
  }

  /** Returns a view with the working tier of another session. Shares the connection. */
  forSession(session: string): AgentMemory {
    return new AgentMemory(this.#exchange, { ...this.#settings, session });
  }

  /** Returns a view of another namespace, `a/b/c`. Shares the connection. */
  inNamespace(namespace: string): AgentMemory {
    return new AgentMemory(this.#exchange, { ...this.#settings, namespace });
  }

  /**
   * Stores any number of entries in the namespace of this view, in as many requests as necessary. Retrieved
   * entries may be changed and stored again.
   *
   * A refused entry, such as an entry over 256 KiB (`too_large`, not sent), does not prevent the other entries
   * from being stored.
   *
   * @returns the outcome of each entry. Refused entries are in `errors` with `partial: true`.
   * @throws {RefusedEntriesError} if an entry is refused, unless `partial` is true. Its `result` has the outcome of
   * each entry.
   * @throws {MemoryError} if the request failed as a whole and no entry is known to be stored. Cites STORE-2.
   */
  async store(
    entries: EntryInput | readonly EntryInput[],
    options: StoreOptions & { readonly partial: true },
  ): Promise<StoreResult>;
  async store(
    entries: EntryInput | readonly EntryInput[],
    options?: StoreOptions & { readonly partial?: false },
  ): Promise<StoredEntries>;
  async store(
    entries: EntryInput | readonly EntryInput[],
    options: StoreOptions = {},
  ): Promise<StoreResult | StoredEntries> {
    const inputs = Array.isArray(entries) ? (entries as readonly EntryInput[]) : [entries];
    const { partial, ...call } = parseCallOptions(StoreOptionsSchema, options, this.#settings);
    const result = await storeEntries(inputs, this.#settings, this.#exchange, call);
    if (partial !== true && result.errors.length > 0) throw new RefusedEntriesError(result);
    return result;
  }

  /**
   * Returns one page of the entries that match all criteria, best or newest first. A page has 10 entries
   * unless `limit` is set. The namespace is this view's, unless `namespace` names another or a subtree
   * `a/**`.
   *
   * Ranking options are off by default: `recency` (ranks newer entries higher), `diversity` (0..1, avoids
   * similar entries), `fields` (fields to search), `rerank` (uses the host's reranker). `expand` adds the
   * neighbours of each entry in its group. `explain` adds an explanation of each score. `exact` compares all entries.
   *
   * @returns an empty page with `total` 0 if nothing matches. `cursor` is present if there may be more
   * entries: repeat the request with it. With `diversity` and `rerank` there is a single page. `degraded`
   * lists the tiers with a missing or partial result, `approximate` those that an index chose from.
   * @throws {MemoryError} for example `unsupported` for a tier or mode that the host does not support.
   */
  async retrieve(request: RetrieveRequest = {}, options: CallOptions = {}): Promise<RetrieveResult> {
    return this.#retrieve(request, parseCallOptions(CallOptionsSchema, options, this.#settings));
  }

  /**
   * Iterates over all entries that match the criteria and fetches page after page. `limit` ends the iteration
   * early and has no maximum here.
   * @throws {TypeError} for `diversity` and `rerank`, which return a single page: use `retrieve`.
   * @throws {MemoryError} also if `retrieve` would report a tier as `degraded` or, unless allowed, `approximate`.
   */
  async *entries(request: RetrieveRequest = {}, options: EntriesOptions = {}): AsyncGenerator<MemoryEntry> {
    const resolved = parseCallOptions(EntriesOptionsSchema, options, this.#settings);
    if (request.diversity || request.rerank)
      throw new TypeError(
        "`diversity` and `rerank` return a single page and cannot be iterated. Use retrieve()",
      );
    const check = resolved.allowApproximate ? requireAnswers : requireComplete;
    for await (const { entries } of this.#pages(request, resolved, check)) yield* entries;
  }

  /**
   * Lists the distinct values of `field` among the entries that match all criteria, without reading the
   * entries. Without `field`, lists namespaces. A page has 100 items unless `limit` is set. Values come from
   * this view's namespace, and namespaces from below it. `namespace` selects another one, a subtree `a/**`,
   * or `**` for all. Cites LIST-1, LIST-6.
   *
   * @returns items by `name`, `count` or `newest`, each with its `count`, `newest` (the latest `occurred_at`,
   * Unix seconds) and `bytes`. Empty with `total` 0 if nothing matches. `cursor` is present if there may be
   * more items. `degraded` lists the tiers without a result.
   * @throws {MemoryError} for example `unsupported` if the host or tier cannot list. A host of version 1.0 may
   * return `invalid_message` instead. `too_large` for more than 256 namespaces or 100,000 values.
   */
  async list(request: ListRequest = {}, options: CallOptions = {}): Promise<ListResult> {
    return this.#list(request, parseCallOptions(CallOptionsSchema, options, this.#settings));
  }

  /**
   * Iterates over all items of a list and fetches page after page. `limit` ends the iteration early and has
   * no maximum here.
   * @throws {MemoryError} also if `list` would report a tier as `degraded`.
   */
  async *items(request: ListRequest = {}, options: EntriesOptions = {}): AsyncGenerator<ListItem> {
    const resolved = parseCallOptions(EntriesOptionsSchema, options, this.#settings);
    const { limit, cursor, ...fields } = request;
    const source = {
      fetch: (pageLimit: number, from: string | null | undefined) =>
        this.#list({ ...fields, limit: pageLimit, cursor: from }, resolved, requireComplete),
      sizeOf: (page: ListResult) => page.items.length,
    };
    const pages = followPages(source, { limit, pageSize: resolved.pageSize, cursor });
    for await (const { items } of pages) yield* items;
  }

  /**
   * Deletes all entries that match all criteria. With `dry_run` it only counts them. Without criteria, and to
   * delete the whole shared tier, `all: true` is required. Cites FORGET-1, FORGET-3.
   *
   * With `cascade: true`, also deletes derived entries in all namespaces of the agent. An entry is deleted
   * when none of its `sources` is left. Cites CASC-1.
   *
   * With `purge: true`, the reply comes after all bytes are erased from disk. On `timeout`, repeat the
   * request with the same id to wait longer. Cites FORGET-9. Without `purge`, use `forgetStatus` to check the
   * erasure.
   *
   * @returns the number of deleted entries, in total and by tier, 0 if nothing matches. With `cascade`,
   * `receipt.cascaded` is the number of derived entries at each level, empty if there are none.
   * @throws {MemoryError} for example, with `cascade`, `unsupported` if a tier does not support it, and
   * `too_large` for more than 10,000 entries or 16 levels. In both cases nothing of that tier is deleted.
   */
  async forget(criteria: ForgetRequest, options: WriteOptions = {}): Promise<ForgetResult> {
    const resolved = parseCallOptions(WriteOptionsSchema, options, this.#settings);
    const fields = { ...criteria, namespace: criteria.namespace ?? this.namespace };
    const requestId = resolved.id ?? newRequestId();
    const reply = await this.#request<MemoryForgetResponse>("memory/forget/req", fields, resolved, {
      id: requestId,
    });
    return { deleted: reply.deleted, receipt: reply.receipt, requestId };
  }

  /**
   * Stores one value under a key, by default in the working tier.
   * @throws {MemoryError} also the error of the entry.
   */
  async remember(key: MemoryKey | string, value: Json, options: RememberOptions = {}): Promise<StoreReceipt> {
    const { tier, tags, ttl, score, ...rest } = parseCallOptions(
      RememberOptionsSchema,
      options,
      this.#settings,
    );
    const entry = { key, content: value, tier, tags, ttl, importance: score };
    const result = await storeEntries([entry], this.#settings, this.#exchange, rest);
    if (result.errors.length > 0) throw new RefusedEntriesError(result);
    return result.receipts[0]!;
  }

  /**
   * Returns the content of a key from the first tier that has it: working, episodic, semantic. Sends one
   * request for all tiers.
   *
   * @returns `fallback` if there is no such entry. null is a valid content.
   * @throws {MemoryError} if a tier that may have the entry fails.
   */
  async recall<F = null>(
    key: KeyReference,
    fallback: F = null as F,
    options: RecallOptions = {},
  ): Promise<Json | F> {
    const { tier, ...resolved } = parseCallOptions(RecallOptionsSchema, options, this.#settings);
    const request = { keys: [key], tier, limit: TIERS.length };
    const onePage = { ...resolved, pageSize: TIERS.length };
    const entries: MemoryEntry[] = [];
    for await (const page of this.#pages(request, onePage, (each) => contentByTier(each, fallback))) {
      entries.push(...page.entries);
    }
    return contentByTier({ entries }, fallback);
  }

  /**
   * Returns the state of an earlier store of this agent, such as a store with `ack: "queued"`. `requestId` is
   * one of the result's `requestIds`.
   * @throws {MemoryError} `memory_not_found` if the request is unknown to the host or no longer remembered.
   */
  async status(requestId: string, options: CallOptions = {}): Promise<StatusResult> {
    const resolved = parseCallOptions(CallOptionsSchema, options, this.#settings);
    const fields = { request_id: requestId };
    const reply = await this.#request<MemoryStatusResponse>("memory/status/req", fields, resolved);
    return { done: reply.done, receipts: reply.receipts, errors: reply.errors };
  }

  /**
   * Returns whether the bytes that an earlier forget of this agent deleted are erased from disk, and since or
   * by when. `done` is final. `requestId` comes from the result of the forget. Cites STATUS-5, STATUS-7.
   * @throws {MemoryError} `memory_not_found` if the request is unknown to the host or no longer remembered,
   * or had `dry_run`. `unsupported` if no tier reports the erasure.
   */
  async forgetStatus(requestId: string, options: CallOptions = {}): Promise<ForgetStatus> {
    const resolved = parseCallOptions(CallOptionsSchema, options, this.#settings);
    const fields = { request_id: requestId, kind: "forget" };
    const reply = await this.#request<MemoryStatusResponse>("memory/status/req", fields, resolved);
    const { purge } = reply;
    if (purge === undefined) throw malformedReply("it has no `purge`");
    return { purge, ...presentFields(reply, ["purged_at", "purge_by", "purge_reason"]) };
  }

  /**
   * Calls `onEvent` for future events of the agent's own entries, in every session and namespace, and for all
   * events of the shared tier. With `agents: "all"`, also for the entries of every agent of the tenant.
   * Events are delivered at most once. Events during a disconnection are lost.
   * @throws {MemoryError} `unauthorized` if the server refuses the subscription.
   */
  async watch(filter: WatchFilter, onEvent: OnEvent): Promise<Watch> {
    return this.#exchange.watch((feeds) => watchEvents(feeds, this.#settings, filter, onEvent));
  }

  /**
   * Lists the agents of the tenant that have entries in the working or episodic tier, by name. Only an
   * operator may do so: it needs a connection that may publish on `<prefix>.<tenant>.$OPERATOR.memory.agents.req`.
   * A page has 100 agents unless `limit` is set. Cites AGENT-1, AGENT-2.
   *
   * @returns the agents with the tiers that have entries. Empty without entries. `cursor` is present if more
   * agents follow. `degraded` lists the tiers without a result.
   * @throws {MemoryError} `unsupported` if no tier can list agents, `unauthorized` without permission. A host
   * that does not know the request returns `invalid_message`.
   */
  async agents(request: AgentsRequest = {}, options: CallOptions = {}): Promise<AgentsResult> {
    const resolved = parseCallOptions(CallOptionsSchema, options, this.#settings);
    const reply = await this.#request<MemoryAgentsResponse>("memory/agents/req", request, resolved);
    return presentFields(reply, ["agents", "cursor", "degraded"]);
  }

  /** Returns the id and the tiers of a host that answers. By default it is not retried. */
  async ping(options: CallOptions = {}): Promise<PingResult> {
    const resolved = parseCallOptions(CallOptionsSchema, options, { ...this.#settings, retryTimeoutMs: 0 });
    const reply = await this.#request<Pong>("ping", {}, resolved);
    return { host_id: reply.host_id, tiers: reply.tiers };
  }

  async #retrieve(
    request: RetrieveRequest,
    options: ResolvedCallOptions,
    check?: Check<RetrieveResult>,
  ): Promise<RetrieveResult> {
    const fields = { ...request, namespace: request.namespace || this.namespace };
    const reply = await this.#request<MemoryRetrieveResponse>("memory/retrieve/req", fields, options, {
      check,
    });
    return presentFields(reply, ["entries", ...LISTED_FIELDS, "approximate", "explain", "took_ms"]);
  }

  async #list(
    request: ListRequest,
    options: ResolvedCallOptions,
    check?: Check<ListResult>,
  ): Promise<ListResult> {
    const own = request.field ? this.namespace : `${this.namespace}/**`;
    const fields = { ...request, namespace: request.namespace || own };
    const reply = await this.#request<MemoryListResponse>("memory/list/req", fields, options, { check });
    return presentFields(reply, ["items", ...LISTED_FIELDS]);
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
    return followPages(source, { limit, pageSize, cursor });
  }

  async #request<T>(
    type: RequestType,
    fields: object,
    options: ResolvedCallOptions,
    { id = newRequestId(), check }: { readonly id?: string; readonly check?: Check<T> | undefined } = {},
  ): Promise<T> {
    const message = checkRequest(createEnvelope(this.#settings, type, id, options.timeoutMs), fields);
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

/** Fields of every page with a total. */
const LISTED_FIELDS = ["total", "total_relation", "cursor", "degraded"] as const;

/** Throws if a reply is insufficient. A retryable error repeats the request. */
type Check<T> = (reply: T) => void;
