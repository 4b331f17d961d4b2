import { hash } from "node:crypto";
import type { MemoryRecord } from "./record.js";

/** Normalizes the text of a fact: collapses white space and applies Unicode NFC. */
export function canonicalText(text: string): string {
  return text.toWellFormed().normalize("NFC").replaceAll(/\s+/g, " ").trim();
}

/**
 * Returns the id of the first fact with a canonical text. Later facts with the same text append `.2`, `.3`,
 * ...
 */
export function factId(text: string): string {
  return hash("sha256", text, "hex").slice(0, 32);
}

/** Returns true if a fact is neither superseded nor past its `valid_until`. */
export function isCurrent({ metadata }: Pick<MemoryRecord<"fact">, "metadata">, now: number): boolean {
  return metadata.superseded_by === undefined && (metadata.valid_until ?? Number.POSITIVE_INFINITY) > now;
}
