import { keyHash, type MemoryKey } from "@membus/protocol";
import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import type { Draft } from "../draft.js";
import { KIND_OF_TYPE } from "../memory-record.js";
import { listTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { answer, inDraft, inTurn, sharingProblem, type ToolLine, type ToolScope } from "./tool-scope.js";
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
  .describe("The situation in which this is of use; of a guideline, the name of its tool.");

interface NewMemory {
  readonly when_to_use?: string | undefined;
  readonly memory_content: string;
  readonly metadata?: WrittenMetadata | undefined;
}

/**
 * `add_memory`: to the target that the scope is bound to.
 * @throws {TypeError} for a scope without one.
 */
export function addMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  const binding = bindingOf(scope);
  if (binding === undefined) {
    throw new TypeError("add_memory needs memoryType (personal, procedural or tool) and memoryTarget");
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
        "Keeps new memories. What is known already is not written twice: change that with update_memory.",
      shape,
      listName: "memories",
      run: async (items) => answer(await inDraft(scope, (draft) => inTurn(items, add(draft)))),
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
  if (type === "tool" && whenToUse === "") return { text: "not written: when_to_use has to name the tool" };
  const id = type === "tool" ? whenToUse : draft.space.derivedId(type, target, whenToUse, text);
  const from = { trust: scope.trust, historyId: scope.history?.historyId };
  const entry = await entryOf(draft, { type, target, id }, { text, whenToUse, metadata }, from);
  const memoryId = keyHash(entry.key as MemoryKey);
  const known = await findWritable(draft, scope, memoryId);
  if (known === undefined) {
    const subject = { memoryType: type, memoryTarget: target, text };
    draft.write(draft.space.about(target), { entry, revision: 0 }, subject);
    return { text: `added memory_id=${memoryId}`, memoryId };
  }
  return { text: knownText(memoryId, known.text, text) };
}

/** What is there stays, also where it says something else by now: that is for `update_memory` to change. */
function knownText(memoryId: string, known: string, text: string): string {
  if (known === text) return `known already memory_id=${memoryId}`;
  return `not written: memory_id=${memoryId} stands for it and says ${JSON.stringify(known)}; update that where it is no longer so`;
}
