export { type AttachedMemory, type AttachMode, type AttachOptions, attachMemory } from "./attach-memory.js";
export { type EntrySettings, FACT_LENGTH_MAX, isLowerTrust, normalizedWords } from "./facts/fact.js";
export { FORGOTTEN } from "./facts/record-facts.js";
export { type FactInput, type StoreFactsOptions, storeFacts } from "./facts/store-facts.js";
export type { FactChanges } from "./facts/update-fact.js";
export type { ForgetTarget } from "./forget.js";
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
export { figuresOf } from "./procedural/figures.js";
export type { Experience } from "./procedural/record-experiences.js";
export type { ToolCallsResult } from "./procedural/record-tool-calls.js";
export type { ToolCallInput, ToolCallReport } from "./procedural/tool-call.js";
export { toolCallReports } from "./procedural/tool-call-reports.js";
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
export { subjectNamespace, subjectOption } from "./subject.js";
export type { TaskOutcome, TaskState } from "./tasks/task.js";
export { pendingSubjects } from "./tasks/task-queue.js";
export type { RunResult } from "./tasks/task-runner.js";
export { type AgentScopeMemory, agentScopeTools } from "./tool-sets/agentscope-tools.js";
export { type GaiaToolsOptions, gaiaTools } from "./tool-sets/gaia-tools.js";
export { archivalTools, conversationTools } from "./tool-sets/letta-tools.js";
