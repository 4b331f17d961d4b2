import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./disk.js";

/** Returns the bytes of all files below a directory. Files removed concurrently count as 0. */
export async function diskBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  let sum = 0;
  for (const { parentPath, name } of files) sum += await sizeOf(join(parentPath, name));
  return sum;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
