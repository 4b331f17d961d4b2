export type { Agent, AgentOptions } from "./agent.js";
export { NAME_ARGUMENT_LENGTH_MAX, TEXT_ARGUMENT_LENGTH_MAX } from "./argument-lengths.js";
export { type CallToolOptions, callTool, type ToolResult } from "./call-tool.js";
export { type AgentOutcome, type AgentRun, type AgentStep, runAgent } from "./run-agent.js";
export { type Tool, type ToolContext, typedTool } from "./tool.js";
export { type OpenAiTool, toJsonSchema, toOpenAiTools } from "./tool-declarations.js";
export { withThinking } from "./with-thinking.js";
