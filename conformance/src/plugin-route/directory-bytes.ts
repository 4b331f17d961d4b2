import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Returns the sum of the sizes of all files below a directory. Files that are removed during the count have the size 0. */
export async function directoryBytes(directory: string): Promise<number> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const sizes = await Promise.all(paths.map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
