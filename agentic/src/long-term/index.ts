export { aboutNamespace, aboutOption } from "./about.js";
export { type AttachedMemory, type AttachMode, type AttachOptions, attachMemory } from "./attach-memory.js";
export { isWeaker, saidWords } from "./facts/fact.js";
export { FORGOTTEN } from "./facts/record-facts.js";
export type { FactChanges } from "./facts/update-fact.js";
export type { Forgetting } from "./forget.js";
export {
  type EventStatus,
  type LongTermChange,
  type LongTermDependencies,
  LongTermMemory,
  type MemorySizes,
  type QueuedRecord,
} from "./long-term-memory.js";
export { fractionOption, LONG_TERM_DEFAULTS, type LongTermOptions } from "./long-term-options.js";
export type { OutcomeName, RecordOutcome, RecordResult, SimilarFact } from "./outcome.js";
export { figuresOf } from "./practice/figures.js";
export type { Experience } from "./practice/record-experiences.js";
export type { ToolCallsResult } from "./practice/record-tool-calls.js";
export type { ToolCallInput, ToolCallReport } from "./practice/tool-call.js";
export { toolCallReports } from "./practice/tool-call-reports.js";
export { keysOf, type LongTermItem, type MemoryKind, readItem } from "./recall/memory.js";
export {
  RECALL_DEFAULTS,
  type Recall,
  type RecallOptions,
  type RecallQuery,
  resolveRecallOptions,
} from "./recall/recall.js";
export type { RecordInput } from "./record-input.js";
export {
  EXPERIENCE_DEFAULTS,
  type ExperienceOptions,
  RECORD_DEFAULTS,
  type RecordOptions,
  type ToolCallOptions,
} from "./record-options.js";
export type { TaskOutcome, TaskState } from "./tasks/task.js";
export { pendingAbouts } from "./tasks/task-queue.js";
export type { RunResult } from "./tasks/task-runner.js";
export { type AgentScopeMemory, agentScopeTools } from "./tool-sets/agentscope-tools.js";
export { type GaiaToolsOptions, gaiaTools } from "./tool-sets/gaia-tools.js";
export { archivalTools, conversationTools } from "./tool-sets/letta-tools.js";
