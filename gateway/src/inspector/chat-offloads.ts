import type { MemoryEntry } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { cutText } from "./entry-brief.js";
import type { ChatOffload, ChatSummary } from "./inspector-api.js";

const SUMMARY_LENGTH_MAX = 4_000;
const LINES_MAX = 50;

export function chatSummary(entry: MemoryEntry): ChatSummary | undefined {
  const record = readRecord(entry, "summary");
  if (record === undefined) return undefined;
  const { text, key_facts, open_threads, covers } = record.content;
  return {
    key_hash: entry.key_hash,
    text: cutText(text, SUMMARY_LENGTH_MAX),
    key_facts: lines(key_facts),
    open_threads: lines(open_threads),
    covers,
    level: record.metadata.level,
    created: entry.timestamps.created,
  };
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
