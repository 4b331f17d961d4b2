import { LIMITS } from "@membus/protocol";
import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import { type Memory, TASK_TYPES, type TaskType } from "../memory-record.js";
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

/** `vector_retrieve_memory`: by meaning and words, the best first, as data that the model can tell from instructions. */
export function vectorRetrieveMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return listTool<QueryItem>(
    {
      name: "vector_retrieve_memory",
      description: "Finds memories by what they mean. Each has a memory_id, and a ref_memory_id where its history is kept.",
      shape: {
        query: z.string().trim().min(1).max(LIMITS.queryLength).describe("What you want to know."),
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
  { query, memory_type: type = scope.memoryType, memory_target: target = scope.memoryTarget }: QueryItem,
): Promise<string> {
  const hasTargets = type !== "tool" && type !== "identity";
  if (hasTargets && target !== undefined && !isTargetAllowed(scope, target)) {
    return `unknown memory_target=${JSON.stringify(target)}`;
  }
  const targets = target === undefined || !hasTargets ? scope.targets : [target];
  const withSummaries = enableSummaryMemory && hasTargets;
  const entries = await searchMemories(scope.space, { query, type, targets, limit: topK, withSummaries });
  const memories = memoriesIn(scope.draft?.overlay(entries) ?? entries);
  scope.onRead?.(memories);
  return memories.length === 0 ? "no memories found" : quoted("memories", memories.map(asShown));
}

/** A memory by the names that tools have for it. */
function asShown(memory: Memory): object {
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
