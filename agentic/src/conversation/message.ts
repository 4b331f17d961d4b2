import { randomUUID } from "node:crypto";
import {
  LIMITS,
  type MemoryEntry,
  MemoryError,
  MessageContentSchema,
  readRecord,
  recordEntry,
  type StoreEntry,
} from "@membus/protocol";
import type { ChatMessage } from "../model/index.js";
import { idOption } from "./conversation-options.js";

/** A message to add, with an id or marks of one's own. One that was read is one, too. */
export interface NewMessage {
  /** 1..128 characters; absent: a new one. */
  readonly id?: string | undefined;
  readonly marks?: readonly string[] | undefined;
  readonly message: ChatMessage;
}

/** A message as it stands in its conversation: a copy, which changes nothing when it is changed. */
export interface ConversationMessage {
  readonly id: string;
  readonly marks: readonly string[];
  readonly message: ChatMessage;
  /** Order of arrival, the same for every reader. */
  readonly seq: number;
  /** Grows with every change of the message or its marks. */
  readonly revision: number;
  /** Unix seconds. */
  readonly created: number;
  /** When it, or its marks, were changed last. Unix seconds. */
  readonly updated: number;
}

/** A message that is about to be written: complete and checked. */
export interface PreparedMessage {
  readonly id: string;
  readonly marks: readonly string[];
  readonly message: ChatMessage;
}

/** The id of a conversation's description: there is one, it leads, whenever it was written. */
export const DESCRIPTION_ID = "description";

/** Unknown fields of a message are kept, so only what every message has tells one from a `NewMessage`. */
function isChatMessage(input: ChatMessage | NewMessage): input is ChatMessage {
  return Object.hasOwn(input, "role");
}

/** @throws {TypeError} for what is no message of chapter 7, or an id or mark that is none. */
export function prepareMessage(input: ChatMessage | NewMessage): PreparedMessage {
  const { id, marks = [], message } = isChatMessage(input) ? { message: input } : input;
  if (id !== undefined) idOption(id, "id");
  for (const mark of marks) checkMark(mark);
  return { id: id ?? randomUUID(), marks: [...new Set(marks)], message: checkMessage(message) };
}

export function checkMark(mark: unknown): asserts mark is string {
  if (typeof mark !== "string" || mark === "" || mark.length > LIMITS.stringLength) {
    throw new TypeError(`a mark must be 1..${LIMITS.stringLength} characters, got ${String(mark)}`);
  }
}

/** A copy without the fields that are undefined. */
export function checkMessage(message: ChatMessage): ChatMessage {
  const given = Object.entries(message ?? {}).filter(([, value]) => value !== undefined);
  const parsed = MessageContentSchema.safeParse(Object.fromEntries(given));
  if (parsed.success) return structuredClone(parsed.data);
  const issue = parsed.error.issues[0]!;
  throw new TypeError(`not a message: ${issue.path.join(".") || "it"}: ${issue.message}`);
}

type RecordFields = Pick<StoreEntry, "key" | "content" | "metadata" | "text" | "occurred_at">;

/**
 * @throws {MemoryError} `too_large` for one over the bound of an entry: found before anything is sent, so that of
 * several messages all are added or none.
 */
export function messageFields(conversation: string, { id, marks, message }: PreparedMessage): RecordFields {
  const { role, name } = message;
  const fields = {
    ...recordEntry({
      kind: "message",
      key: { conversation, message: id },
      content: message,
      metadata: { role, ...(name !== undefined && { name }), ...(marks.length > 0 && { marks: [...marks] }) },
    }),
    text: indexedText(message),
    ...(id === DESCRIPTION_ID && { occurred_at: 0 }),
  };
  const got = Buffer.byteLength(JSON.stringify(fields)) + ENVELOPE_BYTES;
  if (got > LIMITS.entryBytes) {
    const detail = { limit: "entryBytes", max: LIMITS.entryBytes, got };
    throw new MemoryError("too_large", `message ${id} has ${got} bytes as an entry`, detail);
  }
  return fields;
}

/** What an entry has besides: group, tier, condition. */
const ENVELOPE_BYTES = 1024;

/** What a message is found by: what it says, not its other fields. Null: what the host derives of them. */
function indexedText(message: ChatMessage): string | null {
  return textOf(message).slice(0, LIMITS.derivedTextLength).toWellFormed() || null;
}

/** The words of a message, those of its parts on lines of their own. "" where it has none. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}

/** An entry as a message of its conversation; undefined for what is none by chapter 7. */
export function readMessage(entry: MemoryEntry): ConversationMessage | undefined {
  const record = readRecord(entry, "message");
  if (record === undefined) return undefined;
  return {
    id: record.key.message,
    marks: record.metadata.marks ?? [],
    message: record.content,
    seq: entry.seq,
    revision: entry.revision,
    created: entry.timestamps.created,
    updated: entry.timestamps.updated,
  };
}

/** The order of a conversation: its description, then by arrival. */
export function inOrder(a: ConversationMessage, b: ConversationMessage): number {
  return Number(b.id === DESCRIPTION_ID) - Number(a.id === DESCRIPTION_ID) || a.seq - b.seq;
}
