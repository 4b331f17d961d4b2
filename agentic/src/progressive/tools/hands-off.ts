import { z } from "zod";
import type { Tool, ToolContext } from "../../tools/index.js";
import { IDENTITY_TARGET, type TaskType, TOOL_TARGET } from "../memory-record.js";
import { listTool } from "./list-tool.js";
import { notAllowedText, TargetNameSchema } from "./meta-memory.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { isTargetAllowed, type ToolScope } from "./tool-scope.js";

/** What one special agent is to do. */
export interface MemoryTask {
  readonly memoryType: TaskType;
  readonly memoryTarget: string;
}

/** Whom tasks are handed to. */
export interface TaskHandler {
  /** The types that there are agents for, at least one. */
  readonly types: readonly TaskType[];
  /** Does the tasks, and tells in a line each what came of them. Throws nothing that a model could have caused. */
  handle(tasks: readonly MemoryTask[], context: ToolContext): Promise<readonly string[]>;
}

interface TaskItem {
  readonly memory_type: TaskType;
  readonly memory_target: string;
}

/** `hands_off`: to the special agents, which work side by side; each pair of type and target once a call. */
export function handsOffTool(
  scope: ToolScope,
  options: ResolvedMemoryToolOptions,
  handler: TaskHandler,
): Tool {
  return listTool<TaskItem>(
    {
      name: "hands_off",
      description:
        "Hands the conversation to agents that extract memories of one type about one target. Name every pair that the conversation says something about.",
      shape: { memory_type: z.enum(handler.types), memory_target: TargetNameSchema },
      listName: "memory_tasks",
      run: async (items, context) => {
        const tasks = distinct(items.map(taskOf));
        const refused = tasks.filter((task) => !isTaskAllowed(scope, task));
        const allowed = tasks.filter((task) => isTaskAllowed(scope, task));
        const lines = refused.map(
          ({ memoryType, memoryTarget }) =>
            `${memoryType}(${memoryTarget}): not handed off, ${notAllowedText(scope)}`,
        );
        return [...(await handler.handle(allowed, context)), ...lines].join("\n");
      },
    },
    options,
  );
}

/** Guidelines for tools have one target, and so has identity, whatever a model calls them. */
function taskOf({ memory_type: memoryType, memory_target: memoryTarget }: TaskItem): MemoryTask {
  if (memoryType === "tool") return { memoryType, memoryTarget: TOOL_TARGET };
  return { memoryType, memoryTarget: memoryType === "identity" ? IDENTITY_TARGET : memoryTarget };
}

function isTaskAllowed(scope: ToolScope, { memoryType, memoryTarget }: MemoryTask): boolean {
  return memoryType === "tool" || memoryType === "identity" || isTargetAllowed(scope, memoryTarget);
}

function distinct(tasks: readonly MemoryTask[]): MemoryTask[] {
  return [...new Map(tasks.map((task) => [JSON.stringify(task), task])).values()];
}
