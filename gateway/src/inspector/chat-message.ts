import type { Json, MemoryEntry } from "@membus/protocol";
import { isHead, type RecordContent, readRecord } from "@membus/protocol/records";
import { cutText } from "./entry-brief.js";
import type { ChatCall, ChatMessage } from "./inspector-api.js";

/** Characters of one message that a chat page shows. */
const TEXT_LENGTH_MAX = 8_000;
const ARGUMENTS_LENGTH_MAX = 2_000;
const CALLS_MAX = 32;

type Content = RecordContent<"message">;
type Part = Exclude<Content["content"], string | null>[number];

/** Returns undefined if the entry is not a message (chapter 7). */
export function chatMessage(entry: MemoryEntry): ChatMessage | undefined {
  if (isHead(entry)) return beginningOf(entry);
  const record = readRecord(entry, "message");
  if (record === undefined) return undefined;
  const { content } = record;
  const parts = Array.isArray(content.content) ? content.content : [];
  const callId = content.tool_call_id ?? parts.map(answeredCall).find((id) => id !== undefined);
  return {
    ...placeOf(entry, content),
    ...shown(typeof content.content === "string" ? content.content : parts.map(partText).join("\n").trim()),
    tool_calls: callsOf(content, parts),
    ...(callId !== undefined && { tool_call_id: callId }),
  };
}

/**
 * Returns the indexed beginning of a message that is stored in parts, because the whole message may have
 * megabytes.
 */
function beginningOf(entry: MemoryEntry): ChatMessage | undefined {
  const { kind, role, name } = entry.metadata ?? {};
  if (kind !== "message" || typeof role !== "string") return undefined;
  const place = placeOf(entry, { role, ...(typeof name === "string" && { name }) });
  return { ...place, ...shown(entry.text ?? ""), truncated: true, tool_calls: [] };
}

function placeOf(
  entry: MemoryEntry,
  { role, name }: { readonly role: string; readonly name?: string | undefined },
) {
  const { key_hash, key, seq, tier, namespace, author, metadata } = entry;
  // A description occurs before all messages, at 0. The page shows when it was stored.
  const occurred_at = entry.occurred_at > 0 ? entry.occurred_at : entry.timestamps.created;
  const marks = Array.isArray(metadata?.marks) ? metadata.marks.map(String) : [];
  const id = String(key.message);
  const place = { key_hash, id, seq, tier, namespace, role, author, occurred_at, marks };
  return { ...place, ...(name !== undefined && { name }) };
}

function shown(text: string): Pick<ChatMessage, "text" | "truncated"> {
  return { text: cutText(text, TEXT_LENGTH_MAX), truncated: text.length > TEXT_LENGTH_MAX };
}

function partText(part: Part): string {
  const { text, content } = part as { readonly text?: Json; readonly content?: Json };
  if (typeof text === "string") return text;
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((inner) => partText(inner as Part)).join("\n");
  return part?.type === "image_url" || part?.type === "image" ? "[image]" : "";
}

function answeredCall({ type, tool_use_id }: Part): string | undefined {
  return type === "tool_result" && typeof tool_use_id === "string" ? tool_use_id : undefined;
}

/** Returns the calls in `tool_calls` and the calls among the parts. */
function callsOf({ tool_calls = [] }: Content, parts: readonly Part[]): ChatCall[] {
  const asParts = parts
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => ({
      id: String(id ?? ""),
      name: String(name ?? ""),
      arguments: JSON.stringify(input ?? {}),
    }));
  return [...tool_calls, ...asParts].slice(0, CALLS_MAX).map((call) => ({
    id: cutText(call.id, 200),
    name: call.name,
    arguments: cutText(call.arguments, ARGUMENTS_LENGTH_MAX),
  }));
}
