import { createMultilingualAnalyzer } from "@membus/languages";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import type { MemoryPlugin } from "@membus/protocol/plugin";

/** What the suite, and the processes that it kills, load. */
export function createPlugin(): MemoryPlugin {
  return createLanceDbPlugin({ analyzer: createMultilingualAnalyzer() });
}
