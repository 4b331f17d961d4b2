export type {
  ChatMessage,
  ChatModel,
  ModelReply,
  ModelRequest,
  TokenUsage,
  ToolCall,
  ToolDeclaration,
} from "./chat-model.js";
export { type Cost, CostMeter } from "./cost.js";
export { ModelError, type ModelErrorCode } from "./model-error.js";
