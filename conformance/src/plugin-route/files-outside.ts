import { open, readdir, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const LEVELS = 2;
/** Number of bytes of a file that are searched. */
const BYTES_MAX = 2 ** 20;

/**
 * Returns the files outside of `directory` that contain a text and were written from `since` on, in
 * milliseconds of Unix time.
 *
 * Searches the folders where programs usually write: the working directory, the temporary directory, the
 * home directory, and new folders in them.
 */
export async function filesOutside(directory: string, text: string, since: number): Promise<string[]> {
  const roots = [...new Set([process.cwd(), tmpdir(), homedir()])];
  const found = await Promise.all(roots.map((root) => newFiles(root, since, LEVELS)));
  const outside = [...new Set(found.flat())].filter((path) => !path.startsWith(join(directory, "/")));
  const held = await Promise.all(outside.map((path) => holds(path, text)));
  return outside.filter((_, at) => held[at]);
}

/** Returns the new files of a folder and of the folders in it that have changed. */
async function newFiles(folder: string, since: number, levels: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const lists = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (!entry.isFile() && !entry.isDirectory()) return [];
      const state = await stat(path).catch(() => undefined);
      if (state === undefined || state.mtimeMs < since) return [];
      if (entry.isFile()) return [path];
      return levels > 0 ? newFiles(path, since, levels - 1) : [];
    }),
  );
  return lists.flat();
}

async function holds(path: string, text: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTES_MAX), 0, BYTES_MAX, 0);
    return buffer.subarray(0, bytesRead).includes(text);
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
