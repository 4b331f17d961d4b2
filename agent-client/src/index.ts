export { AgentMemory } from "./agent-memory.js";
export type {
  CallOptions,
  EntriesOptions,
  RecallOptions,
  RememberOptions,
  StoreOptions,
  WriteOptions,
} from "./call-options.js";
export { CLIENT_DEFAULTS, type ClientOptions, type ConnectOptions, type Target } from "./client-options.js";
export type { OnEvent } from "./event-feeds.js";
export type { AgentsRequest, ForgetRequest, ListRequest, RetrieveRequest } from "./exchange/index.js";
export { type ClientDependencies, MemoryClient } from "./memory-client.js";
export type { AgentsResult, ListResult, RetrieveResult } from "./pages.js";
export type { ForgetResult, ForgetStatus, KeyReference, PingResult, StatusResult } from "./results.js";
export {
  type EntryInput,
  RefusedEntriesError,
  type StoredEntries,
  type StoreResult,
  toMemoryError,
} from "./store/index.js";
export { type TenantAgents, tenantAgents } from "./tenant-agents.js";
export { type UpdateOptions, updateWithRetry } from "./update-with-retry.js";
export type { Watch, WatchFilter } from "./watch.js";
