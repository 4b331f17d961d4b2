import type { MemoryEntry, MemoryRetrieveRequest } from "@membus/protocol";
import type { EntryInput, MemoryAgent } from "./memory-agent.js";

/** The entry of a key as a retrieve by that key returns it; undefined where it returns none. */
export async function readEntry(
  agent: MemoryAgent,
  key: EntryInput["key"],
  include: MemoryRetrieveRequest["include"] = [],
): Promise<MemoryEntry | undefined> {
  const { entries } = await agent.retrieve({ keys: [key], include });
  return entries[0];
}
