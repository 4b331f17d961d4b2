import { z } from "zod";
import { MemoryToolError } from "./memory-tool-error.js";

const path = z.string();

/** Commands of `memory_20250818`. */
const CommandSchema = z.discriminatedUnion("command", [
  z.object({ command: z.literal("view"), path, view_range: z.array(z.int()).length(2).nullish() }),
  z.object({ command: z.literal("create"), path, file_text: z.string() }),
  z.object({ command: z.literal("str_replace"), path, old_str: z.string(), new_str: z.string() }),
  z.object({ command: z.literal("insert"), path, insert_line: z.number(), insert_text: z.string() }),
  z.object({ command: z.literal("delete"), path }),
  z.object({ command: z.literal("rename"), old_path: z.string(), new_path: z.string() }),
]);

export type MemoryCommand = z.infer<typeof CommandSchema>;
export type CommandOf<Name extends MemoryCommand["command"]> = Extract<MemoryCommand, { command: Name }>;

/** Parses a command. @throws {MemoryToolError} with the reason, because models may send anything. */
export function readCommand(input: unknown): MemoryCommand {
  const { data, error } = CommandSchema.safeParse(input);
  if (data === undefined) throw new MemoryToolError(`Invalid command:\n${z.prettifyError(error)}`);
  return data;
}
