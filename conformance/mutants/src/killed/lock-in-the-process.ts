import type { DirectoryLock } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import { DurablePlugin } from "../reference/durable-plugin.js";

const held = new Set<string>();

/** Tracks open directories only within its process. */
class LockInTheProcessPlugin extends DurablePlugin {
  protected override async takeLock(directory: string): Promise<DirectoryLock> {
    if (held.has(directory))
      throw new MemoryError("conflict", `process ${process.pid} has ${directory} open`);
    held.add(directory);
    return { release: async () => void held.delete(directory) };
  }
}

export function createPlugin(): DurablePlugin {
  return new LockInTheProcessPlugin();
}
