import { hash } from "node:crypto";
import type { MemoryRecord } from "./record.js";

/** A text as a fact has it: no spaces but single ones, one form of each character. */
export function canonicalText(text: string): string {
  return text.toWellFormed().normalize("NFC").replaceAll(/\s+/g, " ").trim();
}

/** The id of the first fact that says `text`, which is canonical; one that says it again later has `.2`, `.3`, ... */
export function factId(text: string): string {
  return hash("sha256", text, "hex").slice(0, 32);
}

/** Nothing has taken its place, and its time is not over. */
export function isCurrent({ metadata }: Pick<MemoryRecord<"fact">, "metadata">, now: number): boolean {
  return metadata.superseded_by === undefined && (metadata.valid_until ?? Number.POSITIVE_INFINITY) > now;
}
