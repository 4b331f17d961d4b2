import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DirectoryLock } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import { DurablePlugin } from "../reference/durable-plugin.js";

/** Treats the lock file of another process as left by a crash. */
class LockTakenForStalePlugin extends DurablePlugin {
  protected override async takeLock(directory: string): Promise<DirectoryLock> {
    const path = join(directory, "owner");
    const owner = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (owner === String(process.pid))
      throw new MemoryError("conflict", `process ${owner} has ${directory} open`);
    writeFileSync(path, String(process.pid));
    return { release: async () => rmSync(path, { force: true }) };
  }
}

export function createPlugin(): DurablePlugin {
  return new LockTakenForStalePlugin();
}
