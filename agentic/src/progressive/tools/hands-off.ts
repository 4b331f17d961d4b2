import { z } from "zod";
import type { Tool, ToolContext } from "../../tools/index.js";
import { IDENTITY_TARGET, TOOL_TARGET } from "../memory-record.js";
import { listTool } from "./list-tool.js";
import { notAllowedText, TargetNameSchema } from "./meta-memory.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { isTargetAllowed, type ToolScope } from "./tool-scope.js";

/** The task of a special agent. */
export interface MemoryTask {
  /** A built-in or registered type. */
  readonly memoryType: string;
  readonly memoryTarget: string;
}

/** Runs the tasks of `hands_off`. */
export interface TaskHandler {
  /** The types with an agent, at least one. */
  readonly types: readonly string[];
  /**
   * Runs the tasks and returns a line about the result of each. Must not throw for errors that a model can
   * cause.
   */
  handle(tasks: readonly MemoryTask[], context: ToolContext): Promise<readonly string[]>;
}

interface TaskItem {
  readonly memory_type: string;
  readonly memory_target: string;
}

/**
 * Returns `hands_off`, which runs the special agents concurrently. Each pair of type and target is run once
 * per call.
 */
export function handsOffTool(
  scope: ToolScope,
  options: ResolvedMemoryToolOptions,
  handler: TaskHandler,
): Tool {
  return listTool<TaskItem>(
    {
      name: "hands_off",
      description:
        "Hands the conversation to agents that extract memories of one type about one target. List every pair that the conversation has information about.",
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

/** Tool guidelines and identity have fixed targets, whatever the model writes. */
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
