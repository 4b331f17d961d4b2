import { jsonSchemaOf, type ToolDeclaration } from "../model/index.js";
import type { Tool } from "./tool.js";

/** A tool in the format of OpenAI's chat completions API. */
export interface OpenAiTool {
  readonly type: "function";
  readonly function: ToolDeclaration;
}

/** Returns the JSON Schema (draft 2020-12) of a tool's arguments. */
export function toJsonSchema(tool: Pick<Tool, "parameters">): object {
  return jsonSchemaOf(tool.parameters);
}

/** Returns tools in the format of `ModelRequest`. */
export function toDeclarations(tools: readonly Tool[]): ToolDeclaration[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: toJsonSchema(tool),
  }));
}

/** Returns the `tools` of a request to OpenAI, for callers without a `ChatModel`. */
export function toOpenAiTools(tools: readonly Tool[]): OpenAiTool[] {
  return toDeclarations(tools).map((declaration) => ({ type: "function", function: declaration }));
}
