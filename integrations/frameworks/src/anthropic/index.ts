export type { MemoryCommand } from "./command.js";
export {
  type MemoryToolDependencies,
  type MemoryToolHandlers,
  memoryToolExecute,
  memoryToolHandlers,
} from "./memory-tool.js";
export { MemoryToolError } from "./memory-tool-error.js";
export { ANTHROPIC_MEMORY_DEFAULTS, type AnthropicMemoryOptions } from "./memory-tool-options.js";
