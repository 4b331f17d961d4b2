import { MessageContentSchema } from "@membus/protocol/records";
import { z } from "zod";
import type { ChatMessage } from "../../model/index.js";
import type { Tool } from "../../tools/index.js";
import { MESSAGES_MAX } from "../call-schemas.js";
import { findHistoryForTargets, readHistory, storeHistory } from "../history.js";
import { quoted } from "../quote.js";
import { listTool, plainTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { isMemoryId, type ToolScope, unknownText } from "./tool-scope.js";
import { MemoryIdSchema } from "./update-memory.js";

/** Maximum length of a history for a model in UTF-16 code units. The latest messages are left out first. */
const SHOWN_LENGTH_MAX = 60_000;

/**
 * Returns `add_history_memory`, which stores messages unchanged, each once. They are stored immediately, so
 * that a later failure cannot lose them.
 */
export function addHistoryMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return plainTool(
    {
      name: "add_history_memory",
      description:
        "Stores messages word for word, and returns the memory_id with which they can be read again.",
      shape: { messages: z.array(MessageContentSchema).min(1).max(MESSAGES_MAX) },
      run: async ({ messages }) => {
        const { historyId } = await storeHistory(scope.space, {
          messages: messages as ChatMessage[],
          targets: scope.targets,
        });
        return `added memory_id=${historyId}`;
      },
    },
    options,
  );
}

/** Returns `read_history_memory`, which reads layer 3: the original messages. */
export function readHistoryMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return listTool<{ readonly memory_id: string }>(
    {
      name: "read_history_memory",
      description: "Shows the messages that a memory was derived from. Takes the ref_memory_id of a memory.",
      shape: { memory_id: MemoryIdSchema },
      listName: "memory_ids",
      elementName: "memory_id",
      run: async (items) => {
        const texts = await Promise.all(items.map(({ memory_id }) => showHistory(scope, memory_id)));
        return texts.join("\n");
      },
    },
    options,
  );
}

async function showHistory({ space, targets }: ToolScope, memoryId: string): Promise<string> {
  const history = isMemoryId(memoryId) ? await findHistoryForTargets(space, memoryId, targets) : undefined;
  if (history === undefined) return unknownText(memoryId);
  const messages = await readHistory(space, history);
  const shown = withinLimit(messages);
  const left = messages.length - shown.length;
  const note = left === 0 ? "" : `\n(${left} later messages are not shown because of their length)`;
  return `${quoted("messages", shown)}${note}`;
}

function withinLimit(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let length = 0;
  const end = messages.findIndex((message) => {
    length += JSON.stringify(message).length;
    return length > SHOWN_LENGTH_MAX;
  });
  return end === -1 ? messages : messages.slice(0, end);
}
