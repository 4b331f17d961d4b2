import { type Filter, parseOptions } from "@membus/protocol";
import { type MessageSelection, MessageSelectionSchema } from "./conversation-options.js";
import type { ConversationRecords } from "./conversation-records.js";
import type { ConversationMessage } from "./message.js";

/** Returns the selected messages, in the conversation's order. Fetches pages of 1000 messages or 1 MiB. */
export async function selectMessages(
  records: ConversationRecords,
  selection: MessageSelection,
): Promise<ConversationMessage[]> {
  const { last, ids, role, mark, excludeMark } = parseOptions(MessageSelectionSchema, selection);
  if (last === 0 || ids?.length === 0) return [];
  const conditions: Filter[] = [];
  if (role !== undefined) conditions.push({ field: "metadata.role", op: "eq", value: role });
  if (mark !== undefined) conditions.push(marked(mark));
  if (excludeMark !== undefined) conditions.push({ not: marked(excludeMark) });
  const where = conditions.length === 0 ? {} : { where: { all: conditions } };
  if (ids === undefined) {
    return records.messages({ ...where, ...(last !== undefined && { order: "newest", limit: last }) });
  }
  const found = (await records.messagesById(ids)).filter(
    ({ message, marks }) =>
      (role === undefined || message.role === role) &&
      (mark === undefined || marks.includes(mark)) &&
      (excludeMark === undefined || !marks.includes(excludeMark)),
  );
  return last === undefined ? found : found.slice(-last);
}

function marked(mark: string): Filter {
  return { field: "metadata.marks", op: "eq", value: mark };
}

/**
 * Returns the ids of the messages at these positions. A negative position counts from the end.
 * @throws {TypeError} if a position has no message.
 */
export async function idsAt(records: ConversationRecords, indices: readonly number[]): Promise<string[]> {
  for (const index of indices) {
    if (!Number.isSafeInteger(index))
      throw new TypeError(`an index must be an integer, got ${String(index)}`);
  }
  const fromEnd = indices.length > 0 && indices.every((index) => index < 0);
  const limit = indices.every((index) => index >= 0) ? Math.max(0, ...indices) + 1 : undefined;
  const messages = await records.messages(
    fromEnd ? { order: "newest", limit: -Math.min(...indices) } : limit === undefined ? {} : { limit },
  );
  return indices.map((index) => {
    const message = messages.at(index);
    if (message === undefined) throw new TypeError(`the conversation has no message at index ${index}`);
    return message.id;
  });
}
