import type { EntryInput } from "@membus/agent-client";
import type { Json } from "@membus/protocol";
import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import type { Draft, DraftEntry } from "../draft.js";
import { KIND_OF_TYPE } from "../memory-record.js";
import { listTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import {
  answer,
  inDraft,
  oneByOne,
  sharingProblem,
  type ToolLine,
  type ToolScope,
  unknownText,
} from "./tool-scope.js";
import { entryOf, findWritable, MemoryContentSchema } from "./writable-memory.js";
import { metadataProblem, type WrittenMetadata, WrittenMetadataSchema } from "./written-metadata.js";

interface MemoryUpdate {
  readonly memory_id: string;
  readonly memory_content: string;
  readonly metadata?: WrittenMetadata | undefined;
}

export const MemoryIdSchema = z.string().max(128).describe("A memory_id that a tool has returned.");

/** Returns `update_memory`, which changes the text of a memory at the revision that was read. */
export function updateMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  const update = (draft: Draft) => (item: MemoryUpdate) => updateOne(draft, scope, item);
  return listTool<MemoryUpdate>(
    {
      name: "update_memory",
      description:
        "Replaces the text of memories that are outdated or incomplete. Omitted metadata fields stay.",
      shape: {
        memory_id: MemoryIdSchema,
        memory_content: MemoryContentSchema,
        metadata: WrittenMetadataSchema.optional(),
      },
      listName: "memories",
      run: async (items) => answer(await inDraft(scope, (draft) => oneByOne(items, update(draft)))),
    },
    options,
  );
}

async function updateOne(draft: Draft, scope: ToolScope, item: MemoryUpdate): Promise<ToolLine> {
  const { memory_id: memoryId, memory_content: text, metadata = {} } = item;
  const known = await findWritable(draft, scope, memoryId);
  if (known === undefined) return { text: unknownText(memoryId) };
  const problem = sharingProblem(scope) ?? metadataProblem(KIND_OF_TYPE[known.type], metadata);
  if (problem !== undefined) return { text: `not written: ${problem}` };
  const { kind, ref_memory_id: ref, ...kept } = known.entry.metadata as WrittenMetadata;
  const input = { text, whenToUse: known.whenToUse, metadata: { ...kept, ...metadata } };
  const historyId = scope.history?.historyId ?? (ref as string | undefined);
  const { revision, sources } = known.entry;
  const entry = await entryOf(draft, known, input, { trust: scope.trust, historyId, sources });
  const details = { memoryType: known.type, memoryTarget: known.target, text };
  draft.write(
    known.namespace,
    { entry: { ...entry, ...preservedFields(known.entry, entry) }, revision },
    details,
  );
  return { text: `updated memory_id=${memoryId}`, memoryId };
}

/** Returns fields of other programs in the stored entry, which a store would remove. */
function preservedFields({ content, tags = [], expires_at }: DraftEntry, entry: EntryInput) {
  const ours = entry.content as Readonly<Record<string, Json>>;
  return {
    content: { ...(content as typeof ours), ...ours },
    tags: [...tags],
    ...(expires_at !== undefined && { expires_at }),
  };
}
