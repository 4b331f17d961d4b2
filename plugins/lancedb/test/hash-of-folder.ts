import { createHash } from "node:crypto";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Returns the hash of a folder's names, modes, times and bytes. */
export async function hashOf(directory: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(directory, { recursive: true })).sort()) {
    const path = join(directory, name);
    const { mode, mtimeMs, size } = await lstat(path);
    hash.update(JSON.stringify([name, mode, mtimeMs, size]));
    if ((mode & 0o170000) === 0o100000) hash.update(await readFile(path));
  }
  return hash.digest("hex");
}
