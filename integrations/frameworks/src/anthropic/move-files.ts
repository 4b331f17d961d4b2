import { pauseAfterConflict } from "@membus/agent-client";
import type { KeptFile, MemoryDirectory } from "./memory-directory.js";
import { type MemoryPath, prefixOf } from "./memory-path.js";
import { MemoryToolError } from "./memory-tool-error.js";

/** Gives a file, or all that is in and below a directory, another path. @throws {MemoryToolError} where there is neither. */
export async function moveAll(
  files: MemoryDirectory,
  from: MemoryPath,
  to: MemoryPath,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (await moveFile(files, from.key, to.key, signal)) return;
  const inside = await files.list(from.key, signal);
  if (inside.length === 0) throw new MemoryToolError(`The path ${from.shown} does not exist`);
  if (to.key.startsWith(prefixOf(from.key))) {
    throw new MemoryToolError(`The destination ${to.shown} is inside ${from.shown}`);
  }
  for (const { path } of inside) {
    await moveFile(files, prefixOf(from.key) + path, prefixOf(to.key) + path, signal);
  }
}

/**
 * First it is written where it goes, then forgotten where it was, if it says the same there still. If it does not, what was
 * written is taken back, and it is moved as it is then.
 * @returns whether it was there.
 */
async function moveFile(
  files: MemoryDirectory,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (let attempt = 1; attempt <= files.options.attemptsMax; attempt++) {
    const file = await files.read(from, signal);
    if (file === undefined) return false;
    if (files.hasHash(file) || (await files.write(file))) {
      await writeNew(files, to, file);
      if (await files.forgetText(from, file.text)) return true;
      await files.forgetText(to, file.text);
    }
    await pauseAfterConflict(attempt, files.clock);
  }
  throw new MemoryToolError(`The path /memories/${from} is being changed by others. Please try again.`);
}

async function writeNew(files: MemoryDirectory, key: string, { text, entry }: KeptFile): Promise<void> {
  if (!(await files.write({ key, text, revision: 0, entry }))) {
    throw new MemoryToolError(`The destination /memories/${key} already exists`);
  }
}
