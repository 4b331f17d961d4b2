import { deriveText, type MemoryEntry, readRecord } from "@membus/protocol";
import type { EntryBrief } from "./inspector-api.js";

/** Characters of a text that is only to be recognised. */
const BRIEF_LENGTH = 200;

export function briefOf(entry: MemoryEntry): EntryBrief {
  const { key_hash, tier, namespace, author, timestamps, metadata } = entry;
  const kind = metadata?.kind;
  return {
    key_hash,
    tier,
    namespace,
    ...(typeof kind === "string" && { kind }),
    text: cutText(textOf(entry), BRIEF_LENGTH),
    author,
    created: timestamps.created,
  };
}

/** The first characters, of which the last is whole. */
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
