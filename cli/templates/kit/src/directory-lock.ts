import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryError } from "@membus/protocol";

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the owner of a directory (clause PLUG-17). A lock that a dead process left is taken over.
 * @throws {MemoryError} `conflict` naming the process that has it.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const path = join(directory, "lock");
  const holder = await readFile(path, "utf8").catch(() => undefined);
  if (holder !== undefined) {
    if (isAlive(Number(holder))) {
      throw new MemoryError("conflict", `${directory} is used by process ${holder}`, { pid: Number(holder) });
    }
    await rm(path, { force: true });
  }
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
  } catch (cause) {
    throw new MemoryError("conflict", `another process has just taken ${directory}`, {}, { cause });
  }
  return { release: () => rm(path, { force: true }) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
