import { hash } from "node:crypto";
import { isJsonObject } from "../json.js";

const EXCLUDED_FIELDS = new Set(["id", "ts", "deadline_ms", "version"]);

/**
 * Returns a hash that identifies a request: over its parsed fields without id, ts, deadline_ms and version
 * (clause RETRY-2). The hash is the same in both encodings and for any field order.
 *
 * @param exclude further fields to leave out, such as limit and cursor for a cursor's digest
 */
export function requestDigest(
  request: Readonly<Record<string, unknown>>,
  exclude: readonly string[] = [],
): string {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    if (value == null || EXCLUDED_FIELDS.has(name) || exclude.includes(name)) continue;
    fields[name] = name === "entries" && Array.isArray(value) ? value.map(withFloat32Embedding) : value;
  }
  return hash("sha256", sortedJson(fields), "base64url").slice(0, 22);
}

/** Converts the embedding of an entry to float32, the precision of MessagePack. */
function withFloat32Embedding(entry: unknown): unknown {
  if (!isJsonObject(entry) || !Array.isArray(entry.embedding)) return entry;
  return { ...entry, embedding: Float32Array.from(entry.embedding as number[]) };
}

/**
 * Returns JSON with sorted field names. One `JSON.stringify` call costs a third of one call for each part.
 */
function sortedJson(value: unknown): string {
  return JSON.stringify(sortFields(value));
}

/** Returns a copy of the value with sorted field names. */
function sortFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Float32Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(sortFields);
  const result: Record<string, unknown> = {};
  for (const name of sortedNames(value)) result[name] = sortFields((value as Record<string, unknown>)[name]);
  return result;
}

/**
 * Returns field names sorted by code units. Insertion sort is used because message objects are small and
 * often in order.
 */
function sortedNames(object: object): string[] {
  const names = Object.keys(object);
  if (names.length > 32) return names.sort((a, b) => (a < b ? -1 : 1));
  for (let end = 1; end < names.length; end++) {
    const name = names[end]!;
    let at = end;
    for (; at > 0 && names[at - 1]! > name; at--) names[at] = names[at - 1]!;
    names[at] = name;
  }
  return names;
}
