import type { z } from "zod";
import type { Tool } from "./tool.js";

/** A tool among others: its own arguments are typed where it is written, and checked where it is called. */
export function typedTool<Parameters extends z.ZodObject>(tool: Tool<Parameters>): Tool {
  return tool as unknown as Tool;
}
