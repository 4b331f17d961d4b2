export { type AttachedMemory, type AttachMode, type AttachOptions, attachMemory } from "./attach-memory.js";
export {
  type EntrySettings,
  FACT_LENGTH_MAX,
  factEntry,
  isComparable,
  isLowerTrust,
  mayContain,
  normalizedWords,
  sharedWords,
  speakerOf,
} from "./facts/fact.js";
export { setForgetMark } from "./facts/forget-mark.js";
export { FORGOTTEN } from "./facts/record-facts.js";
export { type FactInput, type StoreFactsOptions, storeFacts } from "./facts/store-facts.js";
export type { UndoneConsolidation } from "./facts/undo-consolidation.js";
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
export {
  type ExperienceOptions,
  type LongTermOptions,
  LongTermOptionsSchema,
  type RecordOptions,
  type ToolCallOptions,
} from "./long-term-options.js";
export { NamespaceView } from "./namespace-view.js";
export type { OutcomeName, RecordOutcome, RecordResult, SimilarFact } from "./outcome.js";
export { figuresOf } from "./procedural/figures.js";
export type { Experience } from "./procedural/record-experiences.js";
export type { ToolCallsResult } from "./procedural/record-tool-calls.js";
export type { ToolCallInput, ToolCallReport } from "./procedural/tool-call.js";
export { toolCallReports } from "./procedural/tool-call-reports.js";
export { keysOf, type LongTermItem, type MemoryKind, readItem } from "./recall/memory.js";
export {
  type Recall,
  type RecallOptions,
  RecallOptionsSchema,
  type RecallQuery,
} from "./recall/recall.js";
export type { RecordInput } from "./record-input.js";
export { SubjectSchema, subjectNamespace } from "./subject.js";
export type { TaskOutcome, TaskState } from "./tasks/task.js";
export { pendingSubjects } from "./tasks/task-queue.js";
export type { RunResult } from "./tasks/task-runner.js";
export { type AgentScopeMemory, agentScopeTools } from "./tool-sets/agentscope-tools.js";
export { type GaiaToolsOptions, gaiaTools } from "./tool-sets/gaia-tools.js";
export { archivalTools, conversationTools } from "./tool-sets/letta-tools.js";
