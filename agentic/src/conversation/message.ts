import { randomUUID } from "node:crypto";
import { LIMITS, type MemoryEntry, MemoryError, parseOption, type StoreEntry } from "@membus/protocol";
import {
  isHead,
  MessageContentSchema,
  readRecord,
  recordEntry,
  recordProblem,
} from "@membus/protocol/records";
import type { ChatMessage } from "../model/index.js";
import { IdSchema } from "../option-schemas.js";
import { MarkSchema } from "./conversation-options.js";

/** A message to add, with an optional id and marks. A `ConversationMessage` can be added too. */
export interface NewMessage {
  /** 1..128 characters. Absent: a new random id. */
  readonly id?: string | undefined;
  readonly marks?: readonly string[] | undefined;
  readonly message: ChatMessage;
}

/** A copy of a stored message. Changing the copy does not change the conversation. */
export interface ConversationMessage {
  readonly id: string;
  readonly marks: readonly string[];
  readonly message: ChatMessage;
  /** Position in the order of arrival, the same for every reader. */
  readonly seq: number;
  /** Increases with every change of the message or its marks. */
  readonly revision: number;
  /** Unix time in seconds. */
  readonly created: number;
  /** Unix time in seconds of the last change of the message or its marks. */
  readonly updated: number;
  /**
   * True for a message over 256 KiB with missing parts. `message` then contains its beginning and a note. It
   * can be replaced or removed. Absent: the message is complete.
   */
  readonly incomplete?: true;
}

/** A complete, checked message that is ready to be written. */
export interface PreparedMessage {
  readonly id: string;
  readonly marks: readonly string[];
  readonly message: ChatMessage;
}

/** Id of the description of a conversation. It always comes first, whenever it was written. */
export const DESCRIPTION_ID = "description";

/**
 * Distinguishes the two input forms by the required field `role`. Unknown fields of a message are kept.
 */
function isChatMessage(input: ChatMessage | NewMessage): input is ChatMessage {
  return Object.hasOwn(input, "role");
}

/** @throws {TypeError} for an invalid message (chapter 7), id or mark. */
export function prepareMessage(input: ChatMessage | NewMessage): PreparedMessage {
  const { id, marks = [], message } = isChatMessage(input) ? { message: input } : input;
  if (id !== undefined) parseOption(IdSchema, id, "id");
  for (const mark of marks) parseOption(MarkSchema, mark, "mark");
  return { id: id ?? randomUUID(), marks: [...new Set(marks)], message: checkMessage(message) };
}

/** Returns a copy without undefined fields. @throws {TypeError} for an invalid message. */
export function checkMessage(message: ChatMessage): ChatMessage {
  const given = Object.entries(message ?? {}).filter(([, value]) => value !== undefined);
  const parsed = MessageContentSchema.safeParse(Object.fromEntries(given));
  if (parsed.success) return structuredClone(parsed.data);
  const issue = parsed.error.issues[0]!;
  throw new TypeError(`invalid message: ${issue.path.join(".") || "it"}: ${issue.message}`);
}

type RecordFields = Pick<StoreEntry, "key" | "content" | "metadata" | "text" | "occurred_at">;

export function messageFields(conversation: string, { id, marks, message }: PreparedMessage): RecordFields {
  const { role, name } = message;
  return {
    ...recordEntry({
      kind: "message",
      key: { conversation, message: id },
      content: message,
      metadata: { role, ...(name !== undefined && { name }), ...(marks.length > 0 && { marks: [...marks] }) },
    }),
    text: indexedText(message),
    ...(id === DESCRIPTION_ID && { occurred_at: 0 }),
  };
}

/**
 * Returns the text to index: the words of the message, without its other fields. null: the host derives the
 * text.
 */
function indexedText(message: ChatMessage): string | null {
  return textOf(message).slice(0, LIMITS.derivedTextLength).toWellFormed() || null;
}

/** Returns the words of a message. Each text part is on a new line. "" if there are none. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}

/** Reads an entry as a message. undefined if it is not a valid message (chapter 7). */
export function readMessage(entry: MemoryEntry): ConversationMessage | undefined {
  if (isHead(entry)) return readIncomplete(entry);
  const record = readRecord(entry, "message");
  if (record === undefined) return undefined;
  return { ...placeOf(entry), message: record.content };
}

/** Returns the beginning of a message with missing parts, from its head. */
function readIncomplete(entry: MemoryEntry): ConversationMessage | undefined {
  const { kind, role, name } = entry.metadata!;
  if (kind !== "message" || recordProblem(entry) !== undefined) return undefined;
  const content = `${entry.text ?? ""}\n[this message is incomplete: parts of it are missing]`.trimStart();
  const message = { role, content, ...(name !== undefined && { name }) } as ChatMessage;
  return { ...placeOf(entry), message, incomplete: true };
}

function placeOf({ key, metadata, seq, revision, timestamps }: MemoryEntry) {
  const { created, updated } = timestamps;
  const marks = (metadata!.marks ?? []) as string[];
  return { id: key.message as string, marks: [...marks], seq, revision, created, updated };
}

/** @throws {MemoryError} `memory_not_found` for an incomplete message. */
export function wholeMessage({ id, message, incomplete }: ConversationMessage): ChatMessage {
  if (!incomplete) return message;
  throw new MemoryError(
    "memory_not_found",
    `message ${id} is incomplete: parts of it are missing. Replace or remove it`,
  );
}

/** Compares by the order of a conversation: the description first, then by arrival. */
export function inOrder(a: ConversationMessage, b: ConversationMessage): number {
  return Number(b.id === DESCRIPTION_ID) - Number(a.id === DESCRIPTION_ID) || a.seq - b.seq;
}
