import { z } from "zod";
import type { Tool } from "./tool.js";

const THOUGHTS_LENGTH_MAX = 100_000;

const ThinkingSchema = z
  .string()
  .max(THOUGHTS_LENGTH_MAX)
  .optional()
  .describe("Your reasoning before you decide on the other parameters: known and missing information.");

/**
 * Returns the tool with an optional text `thinking` as its first parameter, in which a model can reason
 * before it fills in the others. The tool does not get it. It is in the arguments of the call.
 * @throws {TypeError} if the tool already has this parameter.
 */
export function withThinking<Parameters extends z.ZodObject>(tool: Tool<Parameters>): Tool {
  const { parameters } = tool;
  if ("thinking" in parameters.shape)
    throw new TypeError(`${tool.name} already has a parameter \`thinking\``);
  const shape = { thinking: ThinkingSchema, ...parameters.shape };
  return {
    name: tool.name,
    description: tool.description,
    parameters: parameters.clone({ ...parameters.def, shape }) as unknown as z.ZodObject,
    run({ thinking: _, ...args }, context) {
      return tool.run(args as z.infer<Parameters>, context);
    },
  };
}
