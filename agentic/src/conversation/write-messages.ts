import { randomUUID } from "node:crypto";
import { updateWithRetry } from "@membus/agent-client";
import { MemoryError } from "@membus/protocol";
import type { CostMeter } from "../model/index.js";
import type { ConversationRecords } from "./conversation-records.js";
import { type ConversationMessage, messageFields, type PreparedMessage } from "./message.js";

/**
 * Maximum number of attempts to change a message. Each failed attempt means that another writer succeeded.
 */
const ATTEMPTS_MAX = 32;

export interface AddedIds {
  /** Ids of all given messages, in their order. */
  readonly ids: readonly string[];
  /** Ids that already existed. */
  readonly duplicates: readonly string[];
}

/**
 * Adds messages in their order. Messages with an id that is taken, also by an earlier message in the list,
 * are left out.
 */
export async function addOnce(
  records: ConversationRecords,
  messages: readonly PreparedMessage[],
  meter: CostMeter,
): Promise<AddedIds> {
  const first = new Map<string, PreparedMessage>();
  for (const message of messages) if (!first.has(message.id)) first.set(message.id, message);
  const added = [...first.values()];
  const { conflicts } = await storeNew(records, added);
  meter.written(added.length - conflicts.length);
  const taken = new Set(conflicts.map((index) => added[index]!.id));
  const isDuplicate = (message: PreparedMessage) =>
    taken.has(message.id) || first.get(message.id) !== message;
  const duplicates = messages.filter(isDuplicate).map(({ id }) => id);
  return { ids: messages.map(({ id }) => id), duplicates };
}

/** Adds all messages in their order. A message with a taken id gets a new id. */
export async function addAll(
  records: ConversationRecords,
  messages: readonly PreparedMessage[],
  meter: CostMeter,
): Promise<AddedIds> {
  const taken = new Set((await records.messagesById(messages.map(({ id }) => id))).map(({ id }) => id));
  const duplicates: string[] = [];
  const renamed = messages.map((message) => {
    const isTaken = taken.has(message.id);
    taken.add(message.id);
    if (!isTaken) return message;
    duplicates.push(message.id);
    return { ...message, id: randomUUID() };
  });
  const { conflicts } = await storeNew(records, renamed);
  meter.written(renamed.length - conflicts.length);
  const ids = renamed.map(({ id }) => id);
  // Another writer took these ids after the check above.
  const late = conflicts.map((index) => ({ ...renamed[index]!, id: randomUUID() }));
  if (late.length > 0) {
    await storeNew(records, late);
    meter.written(late.length);
    for (const [n, index] of conflicts.entries()) {
      duplicates.push(ids[index]!);
      ids[index] = late[n]!.id;
    }
  }
  return { ids, duplicates };
}

function storeNew(records: ConversationRecords, messages: readonly PreparedMessage[]) {
  const fields = messages.map((message) => messageFields(records.conversation, message));
  return records.store(fields.map((entry) => ({ ...entry, if_revision: 0 })));
}

type Change = (current: ConversationMessage) => PreparedMessage;

/**
 * Replaces messages by the result of `change`. A message that another writer changed concurrently is read and
 * changed again, never overwritten.
 * @returns the messages before the change. Messages that do not exist are left out.
 * @throws {MemoryError} `conflict` if other writers keep changing them.
 */
export async function changeMessages(
  records: ConversationRecords,
  current: readonly ConversationMessage[],
  change: Change,
  meter: CostMeter,
): Promise<ConversationMessage[]> {
  const changed: ConversationMessage[] = [];
  let conflictIds: readonly string[] | undefined;
  await updateWithRetry(
    () => (conflictIds === undefined ? current : records.messagesById(conflictIds)),
    (messages) => (messages.length === 0 ? undefined : messages),
    async (messages) => {
      const entries = messages.map((message) => ({
        ...messageFields(records.conversation, change(message)),
        if_revision: message.revision,
      }));
      const { receipts, conflicts } = await records.store(entries);
      meter.written([...receipts.values()].filter(({ outcome }) => outcome !== "unchanged").length);
      changed.push(...messages.filter((_, index) => receipts.has(index)));
      conflictIds = conflicts.map((index) => messages[index]!.id);
      return conflictIds.length === 0 || undefined;
    },
    {
      attemptsMax: ATTEMPTS_MAX,
      onExhausted: () => {
        throw new MemoryError("conflict", "other writers keep changing the messages. Try again");
      },
    },
  );
  return changed;
}
