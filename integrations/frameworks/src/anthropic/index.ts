export type { MemoryCommand } from "./command.js";
export {
  type MemoryToolDependencies,
  type MemoryToolHandlers,
  memoryToolExecute,
  memoryToolHandlers,
} from "./memory-tool.js";
export { MemoryToolError } from "./memory-tool-error.js";
export type { AnthropicMemoryOptions } from "./memory-tool-options.js";
