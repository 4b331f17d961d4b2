export { type AddedToMemory, Memory, type MemoryDependencies, type MemoryInput } from "./memory.js";
export {
  type AddToMemoryOptions,
  type HistoryOptions,
  type MemoryOptions,
  MemoryOptionsSchema,
  type SearchMemoryOptions,
} from "./memory-options.js";
