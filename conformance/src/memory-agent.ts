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
/** What may be said beside the entries; an absent `id` is made. */
export type StoreInput = Partial<Omit<MemoryStoreRequest, "type" | "entries">>;
/** Concerns the tier under test unless `tier` is given; null means all tiers. */
export type RetrieveInput = Partial<Omit<MemoryRetrieveRequest, "type">>;
export type ForgetInput = Partial<Omit<MemoryForgetRequest, "type">>;
export type ListInput = Partial<Omit<MemoryListRequest, "type">>;

type Body<Reply> = Omit<Reply, "type" | "id" | "version" | "ts" | "req_id">;
export type StoreReply = Pick<MemoryStoreResponse, "stored" | "errors" | "receipts">;
export type RetrieveReply = Body<
  Pick<MemoryRetrieveResponse, "entries" | "total" | "total_relation" | "cursor" | "degraded" | "explain">
>;
export type ForgetReply = Pick<MemoryForgetResponse, "deleted" | "receipt">;
export type ListReply = Pick<
  MemoryListResponse,
  "items" | "total" | "total_relation" | "cursor" | "degraded"
>;
export type StatusReply = Pick<MemoryStatusResponse, "done" | "receipts" | "errors">;
export type ErasureReply = Pick<MemoryStatusResponse, "done" | "purge" | "purged_at" | "purge_by">;

/**
 * One agent that uses memory, in the words of the protocol, whatever route its requests take.
 * A refused request rejects with its `MemoryError`.
 */
export interface MemoryAgent {
  readonly tenant: string;
  readonly agent: string;
  /** What a request without one names. Its own in every check, so that checks do not see each other's entries. */
  readonly namespace: string;
  store(entries: EntryInput | readonly EntryInput[], options?: StoreInput): Promise<StoreReply>;
  retrieve(request?: RetrieveInput): Promise<RetrieveReply>;
  forget(request: ForgetInput): Promise<ForgetReply>;
  status(requestId: string): Promise<StatusReply>;
  /** The status of a forget. */
  erasure(requestId: string): Promise<ErasureReply>;
  /** Of a plugin, all items by name: `order`, `limit`, `depth` and `cursor` are what hosts do. */
  list(request?: ListInput): Promise<ListReply>;
}

/** Who an agent is: the first and the second of each name are the run's. */
export interface AgentOptions {
  readonly agent?: "first" | "second";
  readonly tenant?: "first" | "second";
  readonly session?: string;
  /** Below the check's own namespace. */
  readonly below?: string;
  /** Exactly these names, whatever the run's are. Of a host the agent alone: it serves the tenants that it serves. */
  readonly named?: Readonly<Partial<Record<"tenant" | "agent" | "namespace", string>>>;
}
