import { parseOptions } from "@membus/protocol";
import type { Tool } from "../../tools/index.js";
import { addMemoryTool } from "./add-memory.js";
import { deleteMemoryTool } from "./delete-memory.js";
import { handsOffTool, type TaskHandler } from "./hands-off.js";
import { addHistoryMemoryTool, readHistoryMemoryTool } from "./history-memory.js";
import { readIdentityMemoryTool, updateIdentityMemoryTool } from "./identity-memory.js";
import { addMetaMemoryTool, readMetaMemoryTool } from "./meta-memory.js";
import { addSummaryMemoryTool } from "./summary-memory.js";
import { thinkTool } from "./think.js";
import {
  type MemoryToolOptions,
  MemoryToolOptionsSchema,
  type ResolvedMemoryToolOptions,
} from "./tool-options.js";
import type { ToolScope } from "./tool-scope.js";
import { updateMemoryTool } from "./update-memory.js";
import { vectorRetrieveMemoryTool } from "./vector-retrieve-memory.js";

type MakeTool = (scope: ToolScope, options: ResolvedMemoryToolOptions, handler?: TaskHandler) => Tool;

const MAKERS = {
  add_memory: addMemoryTool,
  update_memory: updateMemoryTool,
  delete_memory: deleteMemoryTool,
  vector_retrieve_memory: vectorRetrieveMemoryTool,
  add_meta_memory: addMetaMemoryTool,
  read_meta_memory: readMetaMemoryTool,
  add_history_memory: addHistoryMemoryTool,
  read_history_memory: readHistoryMemoryTool,
  add_summary_memory: addSummaryMemoryTool,
  read_identity_memory: readIdentityMemoryTool,
  update_identity_memory: updateIdentityMemoryTool,
  think: (_scope, options) => thinkTool(options),
  hands_off: (scope, options, handler) => {
    if (handler === undefined) throw new TypeError("hands_off requires a handler");
    return handsOffTool(scope, options, handler);
  },
} as const satisfies Readonly<Record<string, MakeTool>>;

export type MemoryToolName = keyof typeof MAKERS;

export const MEMORY_TOOL_NAMES = Object.freeze(Object.keys(MAKERS) as MemoryToolName[]);

/**
 * Returns a memory tool.
 * @throws {TypeError} for a scope that does not fit the tool, and for unknown options.
 */
export function memoryTool(
  name: MemoryToolName,
  scope: ToolScope,
  options: MemoryToolOptions = {},
  handler?: TaskHandler,
): Tool {
  const make: MakeTool = MAKERS[name];
  return make(scope, parseOptions(MemoryToolOptionsSchema, options), handler);
}
