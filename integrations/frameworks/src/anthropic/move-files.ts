import type { MemoryFiles } from "@membus/agentic";
import { FileError } from "@membus/agentic/files";
import type { MemoryPath } from "./memory-path.js";
import { MemoryToolError } from "./memory-tool-error.js";

/**
 * Moves a file, or all files in and below a directory.
 * @throws {MemoryToolError} if there is neither, or the new path is inside the directory.
 */
export async function moveAll(
  files: MemoryFiles,
  from: MemoryPath,
  to: MemoryPath,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (await moveFile(files, from.file, to.file, signal)) return;
  const inside = await files.list(from.file, { signal });
  if (inside.length === 0) throw new MemoryToolError(`The path ${from.shown} does not exist`);
  if (to.file.startsWith(`${from.file}/`)) {
    throw new MemoryToolError(`The destination ${to.shown} is inside ${from.shown}`);
  }
  for (const { path } of inside) {
    await moveFile(files, path, to.file + path.slice(from.file.length), signal);
  }
}

/** Returns false if the file does not exist. */
async function moveFile(
  files: MemoryFiles,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await files.move(from, to, { signal });
    return true;
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return false;
    throw error;
  }
}
