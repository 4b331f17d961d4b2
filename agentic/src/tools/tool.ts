import type { z } from "zod";

/** What a tool is called with, besides its arguments. */
export interface ToolContext {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Something that a model may call. `run` gets arguments that `parameters` has checked, and answers with a text for the
 * model. It throws nothing at a model: `callTool` turns what goes wrong into a text that says so.
 */
export interface Tool<Parameters extends z.ZodObject = z.ZodObject> {
  /** 1..64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  readonly parameters: Parameters;
  run(args: z.infer<Parameters>, context: ToolContext): Promise<string>;
}

/** A tool among others: its own arguments are typed where it is written, and checked where it is called. */
export function typedTool<Parameters extends z.ZodObject>(tool: Tool<Parameters>): Tool {
  return tool as unknown as Tool;
}
