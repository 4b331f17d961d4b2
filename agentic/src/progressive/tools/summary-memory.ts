import { keyHash } from "@membus/protocol";
import { recordEntry } from "@membus/protocol/records";
import type { Tool } from "../../tools/index.js";
import type { Draft } from "../draft.js";
import { plainTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { answer, inDraft, type ToolLine, type ToolScope } from "./tool-scope.js";
import { MemoryContentSchema } from "./writable-memory.js";
import { metadataProblem, type WrittenMetadata, WrittenMetadataSchema } from "./written-metadata.js";

/**
 * Returns `add_summary_memory` for the history of the scope. A history has one summary. A second one replaces
 * it.
 * @throws {TypeError} for a scope without a history.
 */
export function addSummaryMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  if (scope.history === undefined) throw new TypeError("add_summary_memory requires a history");
  return plainTool(
    {
      name: "add_summary_memory",
      description:
        "Stores the summary of this conversation, with which it can be found if no other memory leads to it.",
      shape: {
        summary_memory: MemoryContentSchema.describe("The topic and the results of the conversation."),
        ...(options.addMetadata && { metadata: WrittenMetadataSchema.optional() }),
      },
      run: async ({ summary_memory: text, metadata }) =>
        answer(
          await inDraft(scope, async (draft) => [
            await writeSummary(draft, scope, text as string, metadata as WrittenMetadata | undefined),
          ]),
        ),
    },
    options,
  );
}

async function writeSummary(
  draft: Draft,
  scope: ToolScope,
  text: string,
  given: WrittenMetadata = {},
): Promise<ToolLine> {
  const problem = metadataProblem("summary", given);
  if (problem !== undefined) return { text: `not written: ${problem}` };
  const { conversation, historyId, from, to } = scope.history!;
  const targets = [...(scope.targets ?? scope.history!.targets)];
  const key = { conversation, summary: draft.space.derivedId("summary", historyId) };
  const memoryId = keyHash(key);
  const { conversations } = draft.space;
  const known = (await draft.read(conversations, [memoryId])).get(memoryId);
  const named = targets.length === 0 ? {} : { targets };
  const metadata = { ...given, ...named, level: 1, ref_memory_id: historyId };
  const content = { text, key_facts: [], open_threads: [], covers: { from, to } };
  const record = recordEntry({ kind: "summary", key, content, metadata });
  const entry = { ...record, group: conversation, sources: [historyId] };
  const details = { memoryType: "summary", memoryTarget: targets.join("&"), text } as const;
  draft.write(conversations, { entry, revision: known?.revision ?? 0 }, details);
  return { text: `${known === undefined ? "added" : "replaced"} memory_id=${memoryId}`, memoryId };
}
