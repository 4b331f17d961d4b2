export {
  type ChatMessage,
  type ChatModel,
  type Cost,
  CostMeter,
  ModelError,
  type ModelErrorCode,
  type ModelReply,
  type ModelRequest,
  type TokenUsage,
  type ToolCall,
  type ToolDeclaration,
} from "./model/index.js";
export type { Tool, ToolContext } from "./tools/index.js";
