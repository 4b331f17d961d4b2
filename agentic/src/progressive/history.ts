import type { EntryInput } from "@membus/agent-client";
import { type Json, keyHash, LIMITS } from "@membus/protocol";
import { readRecord, recordEntry, type Trust } from "@membus/protocol/records";
import { textOf } from "../conversation/index.js";
import { kindIs } from "../kind-filter.js";
import type { ChatMessage } from "../model/index.js";
import { replaceBlocks } from "../replace-blocks.js";
import { messageSources } from "../sources.js";
import type { MemorySpace } from "./memory-space.js";
import { matchesTargets } from "./search-memories.js";

/** A range of stored messages of a conversation by seq, with the id of its `history` record. */
export interface HistoryPointer {
  readonly historyId: string;
  readonly conversation: string;
  readonly from: number;
  readonly to: number;
  /** Targets of the messages. Empty: no specific target. */
  readonly targets: readonly string[];
}

/** A history with its metadata. */
export interface History extends HistoryPointer {
  /** Metadata of the record, without `kind`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly revision: number;
}

export interface HistoryInput {
  readonly messages: readonly ChatMessage[];
  /** Absent: an id derived from the messages. */
  readonly conversation?: string | undefined;
  /** Targets of the messages. Absent: no specific target. */
  readonly targets?: readonly string[] | undefined;
}

/** Maximum number of messages of a conversation that a history is read from. */
const CONVERSATION_MESSAGES_MAX = 10_000;

/**
 * Stores messages, each once, and a record that refers to them. Idempotent: the same messages give the same
 * history.
 * @throws {MemoryError} if a message cannot be stored. There is then no history, and the call can be
 * repeated.
 */
export async function storeHistory(space: MemorySpace, input: HistoryInput): Promise<History> {
  const messages = input.messages.map(withoutUndefined);
  const conversation = input.conversation ?? space.derivedId("conversation", messages as unknown as Json);
  const ids = messageIds(space, conversation, messages);
  const entries = messages.map((message, index) => messageEntry(conversation, ids[index]!, message));
  const seqs = await storeMessages(space, entries);
  const content = { conversation, from: Math.min(...seqs), to: Math.max(...seqs) };
  const key = { history: space.derivedId("history", conversation, ids) };
  const targets = [...(input.targets ?? [])];
  const metadata = targets.length === 0 ? {} : { targets };
  const record = recordEntry({ kind: "history", key, content, metadata });
  const [outcome] = await space.write(space.conversations, [
    { entry: { ...record, group: conversation, sources: messageSources(conversation, ids) }, revision: 0 },
  ]);
  const historyId = keyHash(key);
  if (outcome?.outcome === "created") {
    return { historyId, ...content, targets, metadata, revision: outcome.revision };
  }
  return (await findHistory(space, historyId)) ?? { historyId, ...content, targets, metadata, revision: 0 };
}

export async function findHistory(space: MemorySpace, historyId: string): Promise<History | undefined> {
  const [entry] = await space.find(space.conversations, [historyId]);
  const record = entry && readRecord(entry, "history");
  if (entry === undefined || record === undefined) return undefined;
  const { metadata } = record;
  const { conversation, from, to } = record.content;
  const targets = Array.isArray(metadata.targets) ? (metadata.targets as string[]) : [];
  return { historyId, conversation, from, to, targets, metadata, revision: entry.revision };
}

/**
 * Returns the history with this id if it has one of `targets` or no specific target. Without `targets`, any.
 */
export async function findHistoryForTargets(
  space: MemorySpace,
  historyId: string,
  targets: readonly string[] | undefined,
): Promise<History | undefined> {
  const where = targets === undefined ? {} : { where: matchesTargets(targets) };
  const found = await space.search(space.conversations, { keys: [{ $hash: historyId }], ...where });
  return found.length === 0 ? undefined : findHistory(space, historyId);
}

/** Adds metadata to the record of a history, unless it changed concurrently. */
export async function markHistory(space: MemorySpace, history: History, marks: object): Promise<void> {
  const [found] = await space.find(space.conversations, [history.historyId]);
  const record = found && readRecord(found, "history");
  if (record === undefined) return;
  const entry = recordEntry({ ...record, metadata: { ...history.metadata, ...marks } });
  await space.write(space.conversations, [{ entry, revision: history.revision }]);
}

/** Returns the messages of a history in order of arrival. */
export async function readHistory(space: MemorySpace, pointer: HistoryPointer): Promise<ChatMessage[]> {
  const entries = await space.list(space.conversations, {
    group: pointer.conversation,
    where: kindIs("message"),
    order: "oldest",
    limit: CONVERSATION_MESSAGES_MAX,
  });
  const within = entries.filter(({ seq }) => seq >= pointer.from && seq <= pointer.to);
  const messages: ChatMessage[] = [];
  for (const entry of within.sort((a, b) => a.seq - b.seq)) {
    const whole = await space.readWhole(entry);
    const record = whole && readRecord(whole, "message");
    if (record !== undefined) messages.push(record.content);
  }
  return messages;
}

/**
 * Returns the messages that a model should learn from: without system messages, and without recalled
 * memories.
 */
export function learnableMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages
    .filter(({ role }) => role !== "system" && role !== "developer")
    .map((message) =>
      typeof message.content === "string"
        ? { ...message, content: withoutRecalled(message.content) }
        : message,
    );
}

function withoutRecalled(text: string): string {
  return replaceBlocks(text, /<memories>/g, "</memories>", () => "(recalled memories)");
}

/**
 * Returns the trust of memories extracted from messages: "tool" if there are tool results, because their
 * content is untrusted, else "user".
 */
export function trustOf(messages: readonly ChatMessage[]): Trust {
  const roles = new Set(messages.map(({ role }) => role));
  if (roles.has("tool")) return "tool";
  return roles.has("user") ? "user" : "agent";
}

/** Removes undefined fields, as JSON does. */
export function withoutUndefined(message: ChatMessage): ChatMessage {
  return Object.fromEntries(
    Object.entries(message).filter(([, value]) => value !== undefined),
  ) as ChatMessage;
}

/**
 * Returns the `id` of each message, or an id derived from the message and all before it. The same messages
 * therefore get the same ids, even if more follow, and a repeated message gets a different id.
 */
function messageIds(space: MemorySpace, conversation: string, messages: readonly ChatMessage[]): string[] {
  let before = "";
  return messages.map((message) => {
    before = space.derivedId("message", conversation, before, message as unknown as Json);
    return typeof message.id === "string" ? message.id : before;
  });
}

function messageEntry(conversation: string, id: string, message: ChatMessage): EntryInput {
  const { role, name } = message;
  const metadata = { role, ...(name !== undefined && { name }) };
  const record = recordEntry({
    kind: "message",
    key: { conversation, message: id },
    content: message,
    metadata,
  });
  const text = textOf(message).slice(0, LIMITS.derivedTextLength).toWellFormed() || null;
  return { ...record, group: conversation, text };
}

/** Returns the seq of each message, including those that already existed. */
async function storeMessages(space: MemorySpace, messages: readonly EntryInput[]): Promise<number[]> {
  const outcomes = await space.writeLong(
    space.conversations,
    messages.map((entry) => ({ entry, revision: 0 })),
  );
  const created = outcomes.flatMap((outcome) => (outcome.outcome === "created" ? [outcome.revision] : []));
  const known = messages.filter((_, index) => outcomes[index]!.outcome !== "created");
  const found = await space.find(
    space.conversations,
    known.map(({ key }) => keyHash(key)),
  );
  return [...created, ...found.map(({ seq }) => seq)];
}
