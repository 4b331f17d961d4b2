import type {
  MemoryForgetRequest,
  MemoryForgetResponse,
  MemoryListRequest,
  MemoryListResponse,
  MemoryRetrieveRequest,
  MemoryRetrieveResponse,
  MemoryStatusResponse,
  MemoryStoreRequest,
  MemoryStoreResponse,
} from "@membus/protocol";

export type EntryInput = MemoryStoreRequest["entries"][number];
/** Fields of a store apart from its entries. An absent `id` is generated. */
export type StoreInput = Partial<Omit<MemoryStoreRequest, "type" | "entries">>;
/** Fields of a retrieve. An absent `tier` means the tier under test, and null means all tiers. */
export type RetrieveInput = Partial<Omit<MemoryRetrieveRequest, "type">>;
export type ForgetInput = Partial<Omit<MemoryForgetRequest, "type">>;
export type ListInput = Partial<Omit<MemoryListRequest, "type">>;

type Body<Reply> = Omit<Reply, "type" | "id" | "version" | "ts" | "req_id">;
export type StoreReply = Pick<MemoryStoreResponse, "stored" | "errors" | "receipts">;
export type RetrieveReply = Body<
  Pick<
    MemoryRetrieveResponse,
    "entries" | "total" | "total_relation" | "cursor" | "degraded" | "approximate" | "explain"
  >
>;
export type ForgetReply = Pick<MemoryForgetResponse, "deleted" | "receipt">;
export type ListReply = Pick<
  MemoryListResponse,
  "items" | "total" | "total_relation" | "cursor" | "degraded"
>;
export type StatusReply = Pick<MemoryStatusResponse, "done" | "receipts" | "errors">;
export type ErasureReply = Pick<
  MemoryStatusResponse,
  "done" | "purge" | "purged_at" | "purge_by" | "purge_reason"
>;

/**
 * One agent that uses memory through the operations of the protocol, on either route. A refused request
 * rejects with its `MemoryError`.
 */
export interface MemoryAgent {
  readonly tenant: string;
  readonly agent: string;
  /**
   * Default namespace of requests. Each check has a separate one, so checks do not see each other's entries.
   */
  readonly namespace: string;
  store(entries: EntryInput | readonly EntryInput[], options?: StoreInput): Promise<StoreReply>;
  retrieve(request?: RetrieveInput): Promise<RetrieveReply>;
  forget(request: ForgetInput): Promise<ForgetReply>;
  status(requestId: string): Promise<StatusReply>;
  /** Returns the status of a forget. */
  erasure(requestId: string): Promise<ErasureReply>;
  /**
   * Lists values. A plugin returns all items by name, because hosts apply `order`, `limit`, `depth` and
   * `cursor`.
   */
  list(request?: ListInput): Promise<ListReply>;
}

/** Identity of an agent. `first` and `second` stand for the configured names of the run. */
export interface AgentOptions {
  readonly agent?: "first" | "second";
  readonly tenant?: "first" | "second";
  readonly session?: string;
  /** Path below the check's namespace. */
  readonly below?: string;
  /**
   * Exact names that replace the run's names. On a host only the agent can be set, because its tenants are
   * fixed.
   */
  readonly named?: Readonly<Partial<Record<"tenant" | "agent" | "namespace", string>>>;
}
