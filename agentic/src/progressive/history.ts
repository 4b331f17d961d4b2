import type { EntryInput } from "@membus/agent-client";
import { type Json, keyHash, LIMITS, readRecord, recordEntry, type Trust } from "@membus/protocol";
import { textOf } from "../conversation/index.js";
import { kindIs } from "../kind-filter.js";
import type { ChatMessage } from "../model/index.js";
import { messageSources } from "../sources.js";
import type { MemorySpace } from "./memory-space.js";
import { aboutOneOf } from "./search-memories.js";

/** Messages of a conversation that are stored, by their seq, and the `history` record that points at them. */
export interface HistoryPointer {
  readonly historyId: string;
  readonly conversation: string;
  readonly from: number;
  readonly to: number;
  /** Whom or what it is about; empty: nobody by name. */
  readonly targets: readonly string[];
}

/** A history, and what has been made of it. */
export interface History extends HistoryPointer {
  /** What the record says beside `kind`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly revision: number;
}

export interface HistoryInput {
  readonly messages: readonly ChatMessage[];
  /** Absent: one of its own, by what was said. */
  readonly conversation?: string | undefined;
  /** Whom or what it is about; absent: nobody by name. */
  readonly targets?: readonly string[] | undefined;
}

/** Messages of one conversation that a history is read from. */
const CONVERSATION_MESSAGES_MAX = 10_000;

/**
 * Keeps messages, each once, and a record that points at them. Done again with the same messages it writes nothing and finds
 * the same history.
 * @throws {MemoryError} where a message cannot be stored: then there is no history, and the same call goes on.
 */
export async function keepHistory(space: MemorySpace, input: HistoryInput): Promise<History> {
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

/** The history of this id if it is about one of `targets` or about nobody by name; without them, any. */
export async function findHistoryAbout(
  space: MemorySpace,
  historyId: string,
  targets: readonly string[] | undefined,
): Promise<History | undefined> {
  const where = targets === undefined ? {} : { where: aboutOneOf(targets) };
  const found = await space.search(space.conversations, { keys: [{ $hash: historyId }], ...where });
  return found.length === 0 ? undefined : findHistory(space, historyId);
}

/** Writes what has been made of a history into its record; what somebody else has written meanwhile stays. */
export async function markHistory(space: MemorySpace, history: History, marks: object): Promise<void> {
  const [found] = await space.find(space.conversations, [history.historyId]);
  const record = found && readRecord(found, "history");
  if (record === undefined) return;
  const entry = recordEntry({ ...record, metadata: { ...history.metadata, ...marks } });
  await space.write(space.conversations, [{ entry, revision: history.revision }]);
}

/** The messages that a history points at, in the order in which they came. */
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
    const whole = await space.whole(entry);
    const record = whole && readRecord(whole, "message");
    if (record !== undefined) messages.push(record.content);
  }
  return messages;
}

/**
 * What a model is shown of messages that it is to learn from: without instructions of the system, and without memories that
 * were put into them, which are no news.
 */
export function newsIn(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages
    .filter(({ role }) => role !== "system" && role !== "developer")
    .map((message) =>
      typeof message.content === "string"
        ? { ...message, content: withoutRecalled(message.content) }
        : message,
    );
}

function withoutRecalled(text: string): string {
  return text.replaceAll(/<memories>[\s\S]*?<\/memories>/g, "(recalled memories)");
}

/** Whose word is extracted from messages: a user's where no tool has a say, for what a tool returns may be anybody's. */
export function trustOf(messages: readonly ChatMessage[]): Trust {
  const roles = new Set(messages.map(({ role }) => role));
  if (roles.has("tool")) return "tool";
  return roles.has("user") ? "user" : "agent";
}

/** A message as JSON has it: fields that are there without a value are not there. */
export function withoutUndefined(message: ChatMessage): ChatMessage {
  return Object.fromEntries(
    Object.entries(message).filter(([, value]) => value !== undefined),
  ) as ChatMessage;
}

/**
 * A message's own `id`, else one from what it says and all before it: so the same messages have the same ids, also where more
 * follow, and one that is said twice has two.
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

/** The seq of each, also of those that were there. */
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
