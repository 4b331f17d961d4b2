import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";

/** Returns `think`, in which a model can reason before it acts. It reads and writes nothing. */
export function thinkTool({ addOutputReflection }: ResolvedMemoryToolOptions): Tool {
  return {
    name: "think",
    description: "Think before you act. This tool reads and writes nothing.",
    parameters: z.strictObject({ reflection: z.string().min(1).max(20_000).describe("Your thoughts.") }),
    run: async ({ reflection }) => (addOutputReflection ? (reflection as string) : "noted"),
  };
}
