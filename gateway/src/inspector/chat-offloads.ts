import type { MemoryEntry } from "@membus/protocol";
import { isHead, readRecord } from "@membus/protocol/records";
import { cutText } from "./entry-brief.js";
import type { ChatOffload, ChatSummary } from "./inspector-api.js";

const SUMMARY_LENGTH_MAX = 4_000;
const LINES_MAX = 50;

/** Returns undefined if the entry is not a summary, or if the messages that it covers are unknown. */
export function chatSummary(entry: MemoryEntry): ChatSummary | undefined {
  const content = readRecord(entry, "summary")?.content ?? beginningOf(entry);
  // A copy of a summary in parts has its new range only in the metadata.
  const covers = rangeOf(entry.metadata) ?? content?.covers;
  if (content === undefined || covers === undefined) return undefined;
  return {
    key_hash: entry.key_hash,
    text: cutText(content.text, SUMMARY_LENGTH_MAX),
    key_facts: lines(content.key_facts),
    open_threads: lines(content.open_threads),
    covers,
    level: Number(entry.metadata?.level ?? 1),
    created: entry.timestamps.created,
  };
}

/** Returns the indexed beginning of a summary that is stored in parts. */
function beginningOf(entry: MemoryEntry) {
  if (!isHead(entry) || entry.metadata?.kind !== "summary") return undefined;
  return { text: entry.text ?? "", key_facts: [], open_threads: [], covers: undefined };
}

function rangeOf(metadata: MemoryEntry["metadata"]): ChatSummary["covers"] | undefined {
  const { from, to } = metadata ?? {};
  return typeof from === "number" && typeof to === "number" ? { from, to } : undefined;
}

function lines(texts: readonly string[]): string[] {
  return texts.slice(0, LINES_MAX).map((text) => cutText(text, SUMMARY_LENGTH_MAX));
}

/** Returns one offload for each text. A text is stored in pieces that all have the size of the whole. */
export function chatOffloads(entries: readonly MemoryEntry[]): ChatOffload[] {
  const texts = new Map<string, ChatOffload>();
  for (const entry of entries) {
    const record = readRecord(entry, "offload");
    if (record === undefined) continue;
    const { bytes, tool, message } = record.metadata as typeof record.metadata & { message?: unknown };
    const of = { message: String(message), bytes, ...(tool !== undefined && { tool }) };
    texts.set(record.key.offload.split(".")[0]!, of);
  }
  return [...texts.values()];
}
