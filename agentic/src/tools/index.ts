export type { Tool, ToolContext } from "./tool.js";
