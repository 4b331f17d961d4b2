import { keyHash, type MemoryKey } from "@membus/protocol";
import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import type { Draft } from "../draft.js";
import { KIND_OF_TYPE } from "../memory-record.js";
import { listTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { answer, inDraft, oneByOne, sharingProblem, type ToolLine, type ToolScope } from "./tool-scope.js";
import {
  bindingOf,
  entryOf,
  findWritable,
  MemoryContentSchema,
  type WritableBinding,
} from "./writable-memory.js";
import { metadataProblem, type WrittenMetadata, WrittenMetadataSchema } from "./written-metadata.js";

const WhenToUseSchema = z
  .string()
  .trim()
  .max(4_000)
  .describe("The situation in which this is useful. For a guideline: the name of its tool.");

interface NewMemory {
  readonly when_to_use?: string | undefined;
  readonly memory_content: string;
  readonly metadata?: WrittenMetadata | undefined;
}

/**
 * Returns `add_memory` for the target of the scope.
 * @throws {TypeError} for a scope without a target.
 */
export function addMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  const binding = bindingOf(scope);
  if (binding === undefined) {
    throw new TypeError("add_memory requires memoryType (personal, procedural or tool) and memoryTarget");
  }
  const shape = {
    ...((options.addWhenToUse || binding.type === "tool") && { when_to_use: WhenToUseSchema.optional() }),
    memory_content: MemoryContentSchema,
    ...(options.addMetadata && { metadata: WrittenMetadataSchema.optional() }),
  };
  const add = (draft: Draft) => (item: NewMemory) => addOne(draft, scope, binding, item);
  return listTool<NewMemory>(
    {
      name: "add_memory",
      description:
        "Stores new memories. Known memories are not stored twice: change them with update_memory.",
      shape,
      listName: "memories",
      run: async (items) => answer(await inDraft(scope, (draft) => oneByOne(items, add(draft)))),
    },
    options,
  );
}

async function addOne(
  draft: Draft,
  scope: ToolScope,
  binding: WritableBinding,
  { when_to_use: whenToUse = "", memory_content: text, metadata }: NewMemory,
): Promise<ToolLine> {
  const { type, target } = binding;
  const problem = sharingProblem(scope) ?? metadataProblem(KIND_OF_TYPE[type], metadata);
  if (problem !== undefined) return { text: `not written: ${problem}` };
  if (type === "tool" && whenToUse === "")
    return { text: "not written: when_to_use must be the name of the tool" };
  const id = type === "tool" ? whenToUse : draft.space.derivedId(type, target, whenToUse, text);
  const from = { trust: scope.trust, historyId: scope.history?.historyId };
  const { category } = scope;
  const fields = category === undefined ? metadata : { ...metadata, category };
  const entry = await entryOf(draft, { type, target, id }, { text, whenToUse, metadata: fields }, from);
  const memoryId = keyHash(entry.key as MemoryKey);
  const known = await findWritable(draft, scope, memoryId);
  if (known === undefined) {
    const details = { memoryType: type, memoryTarget: target, text };
    draft.write(draft.space.targetNamespace(target), { entry, revision: 0 }, details);
    return { text: `added memory_id=${memoryId}`, memoryId };
  }
  return { text: knownText(memoryId, known.text, text) };
}

/**
 * Describes an existing memory. It is unchanged, even if its text differs now. `update_memory` can change it.
 */
function knownText(memoryId: string, known: string, text: string): string {
  if (known === text) return `already known memory_id=${memoryId}`;
  return `not written: memory_id=${memoryId} exists with the text ${JSON.stringify(known)}. Update it if it is outdated`;
}
