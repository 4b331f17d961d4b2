export { askFor, type Question } from "./ask/ask-for.js";
export { jsonSchemaOf } from "./ask/json-schema.js";
export { loadPrompt } from "./ask/load-prompt.js";
export { completeWithRetries, RETRY_DEFAULTS, type RetryOptions, resolveRetryOptions } from "./ask/retry.js";
export type {
  ChatMessage,
  ChatModel,
  ModelReply,
  ModelRequest,
  ModelStreamPart,
  StreamingChatModel,
  TokenUsage,
  ToolCall,
  ToolDeclaration,
} from "./chat-model.js";
export { type Cost, CostMeter } from "./cost.js";
export { ModelError, type ModelErrorCode } from "./model-error.js";
export { type OpenAiChatDependencies, openaiChatModel } from "./openai/openai-chat-model.js";
export { OPENAI_CHAT_DEFAULTS, type OpenAiChatOptions } from "./openai/openai-options.js";
