export { type Block, Blocks, type BlocksOptions } from "./blocks/index.js";
export { type BudgetOptions, listBudgets, withBudget } from "./budget/index.js";
export {
  type ContextOptions,
  type ContextStats,
  ContextWindow,
  completeInWindow,
  type SurroundingMessages,
  streamInWindow,
} from "./context/index.js";
export {
  type Conversation,
  type ConversationMessage,
  type ConversationOptions,
  type MessageSelection,
  type NewMessage,
  openConversation,
  type Summary,
} from "./conversation/index.js";
export { type FilesOptions, type MemoryFile, MemoryFiles } from "./files/index.js";
export {
  type Entity,
  EntityGraph,
  type EntityGraphOptions,
  type GraphOptions,
  KnowledgeGraph,
  type Relation,
  type Triple,
} from "./graph/index.js";
export { consolidate, Learner, type LearnerOptions } from "./learner/index.js";
export {
  type AttachedMemory,
  type AttachMode,
  type AttachOptions,
  attachMemory,
  type FactInput,
  type ForgetTarget,
  type LongTermDependencies,
  type LongTermItem,
  LongTermMemory,
  type LongTermOptions,
  type Recall,
  type RecallQuery,
  type RecordInput,
  type RecordResult,
} from "./long-term/index.js";
export {
  type AddedToMemory,
  type AddToMemoryOptions,
  type ForgetUserReceipt,
  forgetUser,
  Memory,
  type MemoryDependencies,
  type MemoryInput,
  type MemoryOptions,
  renameUser,
  type SearchMemoryOptions,
} from "./memory/index.js";
export {
  type ChatMessage,
  type ChatModel,
  CostMeter,
  ModelError,
  type ModelErrorCode,
  type OpenAiChatOptions,
  openaiChatModel,
  type ToolCall,
  type ToolDeclaration,
} from "./model/index.js";
export { ProgressiveMemory, type ProgressiveOptions } from "./progressive/index.js";
export { messageSources } from "./sources.js";
export { callTool, runAgent, type Tool, type ToolResult, toOpenAiTools } from "./tools/index.js";
