import { isJsonObject, type Json, type MetadataValue } from "@membus/protocol";
import type { ImportItem } from "./import-item.js";

const DAY = /^\d{4}-\d\d-\d\d$/;
const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i;
const TIME_MAX = 1e11;

/** Returns Unix seconds of a number of seconds or an ISO 8601 text. Without a zone it is UTC. */
export function instantOf(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? Date.parse(withZone(value.trim())) / 1000 : value;
  if (typeof seconds !== "number" || !(Math.abs(seconds) <= TIME_MAX)) return undefined;
  return seconds;
}

function withZone(text: string): string {
  return DAY.test(text) || ZONE.test(text) ? text : `${text.replace(" ", "T")}Z`;
}

/** Returns the text without white space around it, undefined for an empty text or another value. */
export function textIn(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

/** Returns the tags in a list or a comma-separated text, each once and without `#`. */
export function tagsIn(value: unknown): string[] {
  const list = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  const tags = list.flatMap((tag) => textIn(String(tag).replace(/^\s*#/, "")) ?? []);
  return [...new Set(tags)];
}

/**
 * Returns the fields of an object as metadata. Nested values become JSON texts. Names in `reserved` get the
 * prefix.
 */
export function metadataOf(fields: unknown, reserved: readonly string[], prefix: string) {
  if (!isJsonObject(fields as Json)) return {};
  const metadata: Record<string, MetadataValue> = {};
  for (const [name, value] of Object.entries(fields as Record<string, Json>)) {
    if (value === null || value === undefined) continue;
    metadata[reserved.includes(name) ? `${prefix}_${name}` : name] =
      typeof value === "object" ? JSON.stringify(value) : value;
  }
  return metadata;
}

/** A row of a JSON list with its number, which starts at 1. */
export interface Row {
  readonly line: number;
  readonly bytes: number;
  readonly value: unknown;
}

/** Returns the rows of `rowsOf`, or of a text that is one JSON object or has one in each line. */
export function rowsOrLines(text: string, fields: readonly string[]): Row[] | ImportItem {
  const rows = rowsOf(text, fields);
  if (Array.isArray(rows)) return rows;
  const whole = objectIn(text);
  if (whole !== undefined) return [{ line: 1, bytes: Buffer.byteLength(text), value: whole }];
  try {
    return text.split("\n").flatMap((line, index) => {
      if (line.trim() === "") return [];
      return { line: index + 1, bytes: Buffer.byteLength(line) + 1, value: JSON.parse(line) as unknown };
    });
  } catch {
    return rows;
  }
}

function objectIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the rows of a JSON list, or of the first of these fields that has a list. */
export function rowsOf(text: string, fields: readonly string[]): Row[] | ImportItem {
  try {
    const whole = JSON.parse(text);
    const list = Array.isArray(whole) ? whole : fields.map((name) => whole?.[name]).find(Array.isArray);
    if (list === undefined) {
      return {
        line: 1,
        bytes: text.length,
        problem: `must be a JSON list, or have one in ${fields.join(", ")}`,
      };
    }
    return list.map((value: unknown, index: number) => {
      return { line: index + 1, bytes: JSON.stringify(value).length, value };
    });
  } catch (error) {
    return { line: 1, bytes: text.length, problem: `not valid JSON: ${(error as Error).message}` };
  }
}
