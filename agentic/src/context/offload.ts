import { createHash } from "node:crypto";
import type { MemoryEntry } from "@membus/protocol";
import { readRecord, recordEntry } from "@membus/protocol/records";
import { z } from "zod";
import { type ConversationRecords, textOf } from "../conversation/index.js";
import { messageSources } from "../sources.js";
import { protectedStart } from "./rounds.js";
import { cutBefore, type MessageCounter } from "./tokens.js";
import { isToolResult, withText } from "./tool-results.js";
import { type ViewItem, withView } from "./view.js";

/** A text that is moved out of the context. */
export interface Offload {
  /** Key for reloading the text: 32 hex digits, the same for the same text of the same message. */
  readonly key: string;
  readonly message: string;
  readonly tool: string | undefined;
  readonly text: string;
}

/** Characters per part. The host indexes this much of a content, so every word of a part can be found. */
const PART_LENGTH = 8_000;

export interface OffloadLimits {
  readonly graceRounds: number;
  readonly offloadTokensMin: number;
  readonly offloadPreviewLength: number;
}

/** Replaces each large tool result before the newest rounds by a short note with its key. */
export function planOffload(
  conversation: string,
  items: readonly ViewItem[],
  limits: OffloadLimits,
  { count, measure }: Pick<MessageCounter, "count" | "measure">,
): { readonly items: ViewItem[]; readonly offloads: Offload[] } {
  const start = protectedStart(items, limits.graceRounds);
  const offloads: Offload[] = [];
  const planned = items.map((item, index) => {
    if (index >= start || !isToolResult(item.raw)) return item;
    const text = textOf(item.raw);
    if (count(text) <= limits.offloadTokensMin) return item;
    const offload = { key: keyOf(conversation, item.id, text), message: item.id, tool: item.raw.name, text };
    const pointed = withView(
      item,
      withText(item.raw, pointerTo(offload, limits.offloadPreviewLength)),
      measure,
    );
    if (pointed.tokens >= item.tokens) return item;
    offloads.push(offload);
    return pointed;
  });
  return { items: planned, offloads };
}

function keyOf(conversation: string, message: string, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([conversation, message, text]))
    .digest("hex")
    .slice(0, 32);
}

function pointerTo({ key, text }: Offload, previewLength: number): string {
  const preview = text.slice(0, cutBefore(text, previewLength, previewLength / 2)).trimEnd();
  const note = `[offloaded: ${Buffer.byteLength(text)} bytes, key ${key}. Reload it by this key or by a search query]`;
  return preview === "" || previewLength === 0 ? note : `${preview} ...\n${note}`;
}

/** Stores offloaded texts in parts. Parts that are already stored stay unchanged. */
export async function storeOffloads(
  records: ConversationRecords,
  offloads: readonly Offload[],
): Promise<number> {
  const entries = offloads.flatMap((offload) => {
    const texts = parts(offload.text);
    const sources = messageSources(records.conversation, [offload.message]);
    return texts.map((text, part) => ({ ...partEntry(offload, text, part, texts.length), sources }));
  });
  const { receipts } = await records.store(entries);
  return [...receipts.values()].filter(({ outcome }) => outcome !== "unchanged").length;
}

function partEntry(
  { key, message, tool, text: fullText }: Offload,
  text: string,
  part: number,
  parts: number,
) {
  const bytes = Buffer.byteLength(fullText);
  return recordEntry({
    kind: "offload",
    key: { offload: `${key}.${part}` },
    content: { text },
    // `parts` is reserved for the head of a record in parts (chapter 7).
    metadata: { bytes, message, piece: part, pieces: parts, ...(tool !== undefined && { tool }) },
  });
}

function parts(text: string): string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = cutBefore(text, from + PART_LENGTH, from + PART_LENGTH / 2);
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}

/** An offloaded text, or a part of it. */
export interface ReloadedText {
  readonly key: string;
  /** Id of the message that contains the text. */
  readonly message: string;
  readonly tool: string | undefined;
  readonly text: string;
  /** Index of the part, from 0, and the number of parts. A whole text is part 0 of 1. */
  readonly part: number;
  readonly parts: number;
}

const KEY = /\b[0-9a-f]{32}\b/;

/**
 * Returns the whole text if the query contains its key (its existing parts if some are missing), else the
 * most relevant parts.
 */
export async function reloadOffloads(
  records: ConversationRecords,
  query: string,
  limit: number,
): Promise<ReloadedText[]> {
  const key = KEY.exec(query)?.[0];
  if (key === undefined) {
    const entries = await records.search("offload", { query, limit });
    return entries.map(readPart).filter((part) => part !== undefined);
  }
  const found: ReloadedText[] = [];
  const where = { field: "key.offload", op: "starts_with", value: `${key}.` } as const;
  for await (const entry of records.entries("offload", { where })) {
    const part = readPart(entry);
    if (part !== undefined) found.push(part);
  }
  const [first] = found.sort((a, b) => a.part - b.part);
  if (first === undefined) return [];
  if (found.length < first.parts) return found;
  return [{ ...first, text: found.map(({ text }) => text).join(""), part: 0, parts: 1 }];
}

const PieceSchema = z.object({ message: z.string(), piece: z.int().min(0), pieces: z.int().min(1) });

function readPart(entry: MemoryEntry): ReloadedText | undefined {
  const record = readRecord(entry, "offload");
  const place = PieceSchema.safeParse(record?.metadata);
  if (record === undefined || !place.success) return undefined;
  const [key] = record.key.offload.split(".");
  const { message, piece: part, pieces: parts } = place.data;
  return { key: key!, tool: record.metadata.tool, text: record.content.text, message, part, parts };
}
