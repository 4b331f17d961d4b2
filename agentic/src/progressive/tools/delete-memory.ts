import type { Tool } from "../../tools/index.js";
import type { Draft } from "../draft.js";
import { listTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { answer, inDraft, oneByOne, type ToolLine, type ToolScope, unknownText } from "./tool-scope.js";
import { MemoryIdSchema } from "./update-memory.js";
import { findWritable } from "./writable-memory.js";

interface MemoryDeletion {
  readonly memory_id: string;
}

/**
 * Returns `delete_memory`, which reports for each memory whether it existed, and the number of deleted
 * memories.
 */
export function deleteMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  const remove = (draft: Draft) => (item: MemoryDeletion) => deleteOne(draft, scope, item);
  return listTool<MemoryDeletion>(
    {
      name: "delete_memory",
      description: "Deletes memories that are wrong or redundant.",
      shape: { memory_id: MemoryIdSchema },
      listName: "memory_ids",
      elementName: "memory_id",
      run: async (items) => {
        const lines = await inDraft(scope, (draft) => oneByOne(items, remove(draft)));
        const deleted = lines.filter(({ memoryId }) => memoryId !== undefined).length;
        return `deleted ${deleted} of ${items.length}\n${answer(lines)}`;
      },
    },
    options,
  );
}

async function deleteOne(
  draft: Draft,
  scope: ToolScope,
  { memory_id: memoryId }: MemoryDeletion,
): Promise<ToolLine> {
  const known = await findWritable(draft, scope, memoryId);
  if (known === undefined) return { text: unknownText(memoryId) };
  const details = { memoryType: known.type, memoryTarget: known.target, text: known.text };
  draft.forget(known.namespace, memoryId, known.entry, details);
  return { text: `deleted memory_id=${memoryId}`, memoryId };
}
