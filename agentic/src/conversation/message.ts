import { randomUUID } from "node:crypto";
import {
  isHead,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  MessageContentSchema,
  readRecord,
  recordEntry,
  recordProblem,
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
  /**
   * Of one over 256 KiB: parts of it are missing, and `message` has how it begins, and that it is not whole. It can be
   * replaced or removed. Absent: it is whole.
   */
  readonly incomplete?: true;
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
  if (isHead(entry)) return beginningOf(entry);
  const record = readRecord(entry, "message");
  if (record === undefined) return undefined;
  return { ...placeOf(entry), message: record.content };
}

/** What is known of a message whose parts are not all there: what its head says. */
function beginningOf(entry: MemoryEntry): ConversationMessage | undefined {
  const { kind, role, name } = entry.metadata!;
  if (kind !== "message" || recordProblem(entry) !== undefined) return undefined;
  const content = `${entry.text ?? ""}\n[this message is not whole: parts of it are missing]`.trimStart();
  const message = { role, content, ...(name !== undefined && { name }) } as ChatMessage;
  return { ...placeOf(entry), message, incomplete: true };
}

function placeOf({ key, metadata, seq, revision, timestamps }: MemoryEntry) {
  const { created, updated } = timestamps;
  const marks = (metadata!.marks ?? []) as string[];
  return { id: key.message as string, marks: [...marks], seq, revision, created, updated };
}

/** @throws {MemoryError} `memory_not_found` for one that is not whole. */
export function wholeMessage({ id, message, incomplete }: ConversationMessage): ChatMessage {
  if (!incomplete) return message;
  throw new MemoryError("memory_not_found", `message ${id} is not whole: parts of it are missing`);
}

/** The order of a conversation: its description, then by arrival. */
export function inOrder(a: ConversationMessage, b: ConversationMessage): number {
  return Number(b.id === DESCRIPTION_ID) - Number(a.id === DESCRIPTION_ID) || a.seq - b.seq;
}
