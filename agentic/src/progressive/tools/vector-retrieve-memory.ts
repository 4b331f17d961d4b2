import { LIMITS } from "@membus/protocol";
import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import { type ProgressiveItem, TASK_TYPES, type TaskType } from "../memory-record.js";
import { quoted } from "../quote.js";
import { memoriesIn, searchMemories } from "../search-memories.js";
import { listTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { isTargetAllowed, type ToolScope } from "./tool-scope.js";

interface QueryItem {
  readonly query: string;
  readonly memory_type?: TaskType | undefined;
  readonly memory_target?: string | undefined;
}

const TYPE_TARGET_SHAPE = {
  memory_type: z.enum(TASK_TYPES).optional().describe("Only memories of this type."),
  memory_target: z.string().min(1).max(512).optional().describe("Only memories about this target."),
};

/**
 * Returns `vector_retrieve_memory`, which searches by meaning and words, best first. The results are escaped
 * data that a model can tell from instructions.
 */
export function vectorRetrieveMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return listTool<QueryItem>(
    {
      name: "vector_retrieve_memory",
      description:
        "Finds memories by meaning. Each has a memory_id, and a ref_memory_id if its history is stored.",
      shape: {
        query: z.string().trim().min(1).max(LIMITS.queryLength).describe("The information to find."),
        ...(options.addMemoryTypeTarget && TYPE_TARGET_SHAPE),
      },
      listName: "query_items",
      run: async (items) => {
        const answers = await Promise.all(items.map((item) => answerQuery(scope, options, item)));
        return answers.length === 1
          ? answers[0]!
          : answers.map((text, index) => `${index + 1}. ${text}`).join("\n");
      },
    },
    options,
  );
}

async function answerQuery(
  scope: ToolScope,
  { topK, enableSummaryMemory }: ResolvedMemoryToolOptions,
  item: QueryItem,
): Promise<string> {
  const types = typesOf(scope, item);
  const target = scope.memoryTarget ?? item.memory_target;
  const isAboutTargets = types.includes("personal") || types.includes("procedural");
  if (types.length === 0) return `unknown memory_type=${item.memory_type}`;
  if (isAboutTargets && target !== undefined && !isTargetAllowed(scope, target)) {
    return `unknown memory_target=${JSON.stringify(target)}`;
  }
  const targets = target === undefined || !isAboutTargets ? scope.targets : [target];
  const withSummaries = enableSummaryMemory && isAboutTargets;
  const search = { query: item.query, types, targets, limit: topK, withSummaries };
  const entries = await searchMemories(scope.space, search);
  const memories = memoriesIn(scope.draft?.overlay(entries) ?? entries);
  scope.onRead?.(memories);
  return memories.length === 0 ? "no memories found" : quoted("memories", memories.map(toModelView));
}

function typesOf(
  { memoryType, types = TASK_TYPES }: ToolScope,
  { memory_type: asked }: QueryItem,
): TaskType[] {
  const type = memoryType ?? asked;
  return types.filter((allowed) => type === undefined || allowed === type);
}

/** Returns a memory with the field names of the tools. */
function toModelView(memory: ProgressiveItem): object {
  return {
    memory_id: memory.memoryId,
    memory_type: memory.memoryType,
    memory_target: memory.memoryTarget,
    memory_content: memory.text,
    ...(memory.whenToUse && { when_to_use: memory.whenToUse }),
    ...(memory.figures && { figures: memory.figures }),
    ...(memory.historyId && { ref_memory_id: memory.historyId }),
    score: Math.round(memory.score * 1000) / 1000,
    updated: new Date(memory.updatedAt * 1000).toISOString(),
  };
}
