export { type ContextError, contextErrorOf } from "@membus/openai-client";
export { BUDGET_PERIODS, type BudgetState, BudgetStateSchema } from "./budget-state.js";
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
export { type Cost, CostMeter, sumCosts } from "./cost.js";
export { CountedModel } from "./counted-model.js";
export { generateObject, type ObjectRequest } from "./generate/generate-object.js";
export { jsonSchemaOf } from "./generate/json-schema.js";
export { loadPrompt } from "./generate/load-prompt.js";
export { completeWithRetries, type RetryOptions, RetryOptionsSchema } from "./generate/retry.js";
export {
  fromHarmonizedResponse,
  fromResponseDict,
  type MessageContent,
  type MessageDict,
  messageContent,
  toApiFormat,
  toLlmDict,
} from "./message-forms.js";
export { ModelError, type ModelErrorCode } from "./model-error.js";
export { type OpenAiChatDependencies, openaiChatModel } from "./openai/openai-chat-model.js";
export type { OpenAiChatOptions } from "./openai/openai-options.js";
export { estimateUsage } from "./token-estimate.js";
