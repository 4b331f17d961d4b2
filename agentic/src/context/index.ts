export { completeInWindow, streamInWindow, type WindowRequest } from "./complete-in-window.js";
export type {
  CompactionOutcome,
  CompactionReason,
  ContextEvent,
  ContextSize,
  SkippedStage,
  Stage,
} from "./context-event.js";
export {
  CONTEXT_DEFAULTS,
  type ContextOptions,
  type ProcessorName,
  type Provider,
} from "./context-options.js";
export {
  type ContextDependencies,
  type ContextStats,
  ContextWindow,
  type SurroundingMessages,
} from "./context-window.js";
export type { ReloadedText } from "./offload.js";
export { loadTokenCounter, messageTokens, type TokenCounter } from "./tokens.js";
