import type { DirectoryLock } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import { DurablePlugin } from "../reference/durable-plugin.js";

const owners = new Map<string, number>();

/** Refuses a second open, but names the owner only if it is its own process. */
class LockNamedInTheProcessPlugin extends DurablePlugin {
  protected override async takeLock(directory: string): Promise<DirectoryLock | undefined> {
    try {
      const lock = await super.takeLock(directory);
      owners.set(directory, process.pid);
      return lock;
    } catch {
      const owner = owners.get(directory);
      throw new MemoryError("conflict", owner === undefined ? "the directory is in use" : `${owner} has it`);
    }
  }
}

export function createPlugin(): DurablePlugin {
  return new LockNamedInTheProcessPlugin();
}
