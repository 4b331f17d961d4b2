import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";

/** `think`: room for a model to reason before it acts. It reads and writes nothing. */
export function thinkTool({ addOutputReflection }: ResolvedMemoryToolOptions): Tool {
  return {
    name: "think",
    description: "Think something over before you act. Nothing is read or written.",
    parameters: z.strictObject({ reflection: z.string().min(1).max(20_000).describe("Your thoughts.") }),
    run: async ({ reflection }) => (addOutputReflection ? (reflection as string) : "noted"),
  };
}
