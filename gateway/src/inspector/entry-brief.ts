import { deriveText, type MemoryEntry } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import type { EntryBrief } from "./inspector-api.js";

/** Characters of a text in a list. */
const BRIEF_LENGTH = 200;

export function briefOf(entry: MemoryEntry): EntryBrief {
  const { key_hash, tier, namespace, author, timestamps, metadata } = entry;
  const kind = metadata?.kind;
  return {
    key_hash,
    tier,
    namespace,
    ...(typeof kind === "string" && { kind }),
    ...endOf(entry),
    text: cutText(textOf(entry), BRIEF_LENGTH),
    author,
    created: timestamps.created,
  };
}

/** Returns when a fact stops being valid, and whether another fact replaced it. */
function endOf(entry: MemoryEntry): Pick<EntryBrief, "valid_until" | "superseded"> {
  const { valid_until, superseded_by } = readRecord(entry, "fact")?.metadata ?? {};
  return {
    ...(valid_until !== undefined && { valid_until }),
    ...(superseded_by !== undefined && { superseded: true }),
  };
}

/** Returns the first characters, without splitting a surrogate pair. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

function textOf(entry: MemoryEntry): string {
  const triple = readRecord(entry, "triple");
  if (triple !== undefined) {
    const { subject, predicate, object } = triple.key;
    return `${subject} ${predicate.replaceAll("_", " ")} ${object}`;
  }
  return entry.text || deriveText(entry.content);
}
