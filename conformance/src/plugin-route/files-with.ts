import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the files below a directory that contain a text. Files that are deleted during the search count as
 * not containing it.
 */
export async function filesWith(directory: string, text: string): Promise<string[]> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const held = await Promise.all(paths.map((path) => holds(path, text)));
  return paths.filter((_, at) => held[at]).map((path) => path.slice(directory.length + 1));
}

async function holds(path: string, text: string): Promise<boolean> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  return bytes.includes(text);
}
