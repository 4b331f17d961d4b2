import { hash } from "node:crypto";
import { isJsonObject } from "../json.js";

const NOT_PART_OF_IT = new Set(["id", "ts", "deadline_ms", "version"]);

/**
 * What makes a request the same request: a hash over its fields, as `parseRequest` gives them, without id, ts,
 * deadline_ms and version (clause RETRY-2). Alike in both encodings and for any order of fields.
 * `without` leaves out more: a cursor's digest also ignores limit and cursor.
 */
export function requestDigest(
  request: Readonly<Record<string, unknown>>,
  without: readonly string[] = [],
): string {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    if (value == null || NOT_PART_OF_IT.has(name) || without.includes(name)) continue;
    fields[name] = name === "entries" && Array.isArray(value) ? value.map(withVector) : value;
  }
  return hash("sha256", sortedJson(fields), "base64url").slice(0, 22);
}

/** An entry with its embedding as float32, which is all that MessagePack carries of it. */
function withVector(entry: unknown): unknown {
  if (!isJsonObject(entry) || !Array.isArray(entry.embedding)) return entry;
  return { ...entry, embedding: Float32Array.from(entry.embedding as number[]) };
}

/** JSON with sorted field names: sorted first, because writing all of it at once costs a third of writing each part. */
function sortedJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** The same value with its field names in one order, itself where they are. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Float32Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(sorted);
  const result: Record<string, unknown> = {};
  for (const name of sortedNames(value)) result[name] = sorted((value as Record<string, unknown>)[name]);
  return result;
}

/** Names in order of code units. Inserted one by one: the objects of a message are small, and often in order. */
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
