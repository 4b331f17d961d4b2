export type { MemoryChange } from "./draft.js";
export type { AgentFailure } from "./handoffs.js";
export {
  AGENT_NAMES,
  type AgentChanges,
  type AgentName,
  type AgentTool,
  type MemoryAgent,
  type RegisteredAgent,
} from "./memory-agent.js";
export { MEMORY_TYPES, type MemoryType, type ProgressiveItem } from "./memory-record.js";
export { type ProgressiveDependencies, ProgressiveMemory, type ToolBinding } from "./progressive-memory.js";
export type { ProgressiveOptions } from "./progressive-options.js";
export type { RetrieveOptions, RetrieveResult } from "./retrieve.js";
export type { SummarizeOptions, SummarizeResult } from "./summarize.js";
export type { MemoryTask, TaskHandler } from "./tools/hands-off.js";
export { MEMORY_TOOL_NAMES, type MemoryToolName } from "./tools/memory-tool.js";
export { MEMORY_TOOL_DEFAULTS, type MemoryToolOptions } from "./tools/tool-options.js";
