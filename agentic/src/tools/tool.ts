import type { z } from "zod";

/** The context of a tool call. */
export interface ToolContext {
  readonly signal?: AbortSignal | undefined;
}

/**
 * A tool that a model may call. `run` gets arguments that `parameters` has validated, and returns a text for
 * the model. It may throw: `callTool` converts errors to texts for the model.
 */
export interface Tool<Parameters extends z.ZodObject = z.ZodObject> {
  /** 1..64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** Effect and use of the tool, for the model. */
  readonly description: string;
  readonly parameters: Parameters;
  run(args: z.infer<Parameters>, context: ToolContext): Promise<string>;
}

/** Widens a tool with typed arguments to `Tool`. `callTool` validates the arguments. */
export function typedTool<Parameters extends z.ZodObject>(tool: Tool<Parameters>): Tool {
  return tool as unknown as Tool;
}
