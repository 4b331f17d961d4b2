import { jsonSchemaOf, type ToolDeclaration } from "../model/index.js";
import type { Tool } from "./tool.js";

/** A tool as the chat completions API of OpenAI takes it. */
export interface OpenAiTool {
  readonly type: "function";
  readonly function: ToolDeclaration;
}

/** The JSON Schema (draft 2020-12) of a tool's arguments. */
export function toJsonSchema(tool: Pick<Tool, "parameters">): object {
  return jsonSchemaOf(tool.parameters);
}

/** Tools as `ModelRequest` takes them. */
export function toDeclarations(tools: readonly Tool[]): ToolDeclaration[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: toJsonSchema(tool),
  }));
}

/** The `tools` of a request to OpenAI, for who calls it without a `ChatModel`. */
export function toOpenAiTools(tools: readonly Tool[]): OpenAiTool[] {
  return toDeclarations(tools).map((declaration) => ({ type: "function", function: declaration }));
}
