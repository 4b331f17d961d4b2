import { createMultilingualAnalyzer } from "@membus/languages";
import { createLruPlugin } from "@membus/plugin-lru";
import type { MemoryPlugin } from "@membus/protocol/plugin";

/** Small enough that a check of eviction reaches its limit. */
const ENTRIES_PER_SCOPE = 3_000;

export function createPlugin(): MemoryPlugin {
  return createLruPlugin({ scopeEntriesMax: ENTRIES_PER_SCOPE }, createMultilingualAnalyzer());
}
