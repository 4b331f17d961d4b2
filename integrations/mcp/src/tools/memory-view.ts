import type { Json, MemoryEntry, MemoryKey } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { z } from "zod";
import { memoryUri } from "../memory-uri.js";

export const MemorySchema = z.object({
  key: z.string(),
  content: z.unknown(),
  tier: z.string(),
  tags: z.array(z.string()),
  updated: z.string(),
  uri: z.string(),
  score: z.number().optional(),
  cut: z.boolean().optional(),
});

export type MemoryView = z.infer<typeof MemorySchema>;

/** Returns an entry in the form for models. A fact is shown as its text. */
export function toView(entry: MemoryEntry, isRanked: boolean): MemoryView {
  const { content, tier, tags, timestamps, score } = entry;
  return {
    key: keyText(entry.key as MemoryKey),
    content: readRecord(entry, "fact")?.content.text ?? (content as Json),
    tier,
    tags: [...tags],
    updated: new Date(timestamps.updated * 1000).toISOString(),
    uri: memoryUri(entry),
    ...(isRanked && { score: Math.round(score * 100) / 100 }),
  };
}

/** Returns the name of a memory. A key with several fields is shown as JSON. */
export function keyText(key: MemoryKey): string {
  const { name, ...others } = key;
  return typeof name === "string" && Object.keys(others).length === 0 ? name : JSON.stringify(key);
}

/** Returns as many memories as fit, in order. If the first is too long, returns its beginning. */
export function fitViews(views: readonly MemoryView[], charsMax: number): MemoryView[] {
  const shown: MemoryView[] = [];
  let chars = 0;
  for (const view of views) {
    chars += charsOf(view);
    if (chars <= charsMax) shown.push(view);
    else return shown.length > 0 ? shown : cutView(view, charsMax);
  }
  return shown;
}

/** Returns an upper bound of the characters that a memory adds to a result. */
function charsOf(view: MemoryView): number {
  return JSON.stringify({ memories: [view] }, null, 2).length;
}

/** Returns the longest beginning that fits. Characters differ in length as JSON. */
function cutView(view: MemoryView, charsMax: number): MemoryView[] {
  const text = typeof view.content === "string" ? view.content : JSON.stringify(view.content);
  const cutTo = (length: number) => ({
    ...view,
    content: text.slice(0, length).toWellFormed(),
    cut: true,
  });
  let length = 0;
  let tooLong = Math.min(text.length, charsMax) + 1;
  while (tooLong - length > 1) {
    const middle = Math.floor((length + tooLong) / 2);
    if (charsOf(cutTo(middle)) <= charsMax) length = middle;
    else tooLong = middle;
  }
  return length > 0 ? [cutTo(length)] : [];
}
