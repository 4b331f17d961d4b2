import { createMultilingualAnalyzer } from "@membus/languages";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import type { MemoryPlugin } from "@membus/protocol/plugin";

/** Module for the suite and its child processes. */
export function createPlugin(): MemoryPlugin {
  return createLanceDbPlugin({ analyzer: createMultilingualAnalyzer() });
}
