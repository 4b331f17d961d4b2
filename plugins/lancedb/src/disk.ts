import { open, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** What makes files survive power loss. */
export interface Disk {
  syncFile(path: string): Promise<void>;
  /** Makes the names in a directory, added and removed, survive. */
  syncDirectory(path: string): Promise<void>;
}

export const disk: Disk = Object.freeze({
  syncFile: (path: string) => sync(path, "r+"),
  async syncDirectory(path: string): Promise<void> {
    // Windows opens no directories; its file system journals names by itself.
    if (process.platform !== "win32") await sync(path, "r");
  },
});

/** Replaces a small file: after a crash there is the old one or the new one. */
export async function replaceFile(path: string, content: string | Uint8Array, on: Disk): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, content);
  await on.syncFile(draft);
  await rename(draft, path);
  await on.syncDirectory(dirname(path));
}

/** The failure of a file operation because there is no such file. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
