import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { open, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts a separate file system of `sizeBytes`. Returns undefined if this user may not mount one. */
export function mountSmallDisk(sizeBytes: number): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "membus-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "tmpfs", path], { stdio: "ignore" });
    return path;
  } catch {
    rmdirSync(path);
    return undefined;
  }
}

export function unmount(path: string): void {
  execFileSync("umount", [path]);
  rmdirSync(path);
}

export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Fills the rest of the disk. */
export async function fill(path: string): Promise<void> {
  const file = await open(join(path, "filler"), "a");
  const block = Buffer.alloc(4_096);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    await file.close();
  }
}
