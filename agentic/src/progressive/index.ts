export type { MemoryChange } from "./draft.js";
export type { AgentFailure } from "./handoffs.js";
export { type DeleteAllInput, type DeleteAllResult, LIST_DEFAULTS, type ListInput } from "./listing.js";
export {
  AGENT_NAMES,
  type AgentChanges,
  type AgentName,
  type AgentTool,
  type MemoryAgent,
} from "./memory-agent.js";
export { MEMORY_TYPES, type Memory, type MemoryType, type TaskType } from "./memory-record.js";
export {
  OFFLOAD_DEFAULTS,
  type OffloadOptions,
  type OffloadResult,
  type Reloaded,
  type ReloadInput,
  type ReloadResult,
} from "./offload.js";
export { type ProgressiveDependencies, ProgressiveMemory, type ToolBinding } from "./progressive-memory.js";
export { PROGRESSIVE_DEFAULTS, type ProgressiveOptions } from "./progressive-options.js";
export type { ReplyInput, ReplyResult } from "./reply.js";
export { RETRIEVE_DEFAULTS, type RetrieveInput, type RetrieveResult } from "./retrieve.js";
export type { SummarizeInput, SummarizeResult } from "./summarize.js";
export type { MemoryTarget } from "./targets.js";
export type { MemoryTask, TaskHandler } from "./tools/hands-off.js";
export { MEMORY_TOOL_NAMES, type MemoryToolName } from "./tools/memory-tool.js";
export { MEMORY_TOOL_DEFAULTS, type MemoryToolOptions } from "./tools/tool-options.js";
