import { hash } from "node:crypto";
import { z } from "zod";
import type { ListItem, ListOrder } from "../messages/index.js";
import { parseCursor, serializeCursor } from "./serialize-cursor.js";

/** Maximum UTF-16 units of a value in a cursor. Longer values would exceed the cursor limit. */
const VALUE_UNITS_MAX = 256;

const PositionSchema = z.strictObject({
  rank: z.number(),
  value: z.union([z.string().max(VALUE_UNITS_MAX), z.number(), z.boolean()]),
  /** Hash of a truncated value, which orders values with the same beginning. */
  sha256: z.string().optional(),
});

/** Position of an item in a list (clause LIST-8). */
export type ListPosition = z.infer<typeof PositionSchema>;

export function listPositionOf({ value, count, newest }: ListItem, order: ListOrder): ListPosition {
  const rank = order === "name" ? 0 : -(order === "count" ? count : newest);
  if (typeof value !== "string" || value.length <= VALUE_UNITS_MAX) return { rank, value };
  return { rank, value: value.slice(0, VALUE_UNITS_MAX), sha256: hash("sha256", value) };
}

/** Compares two positions. Negative if `a` is listed before `b`, 0 only for the same value. */
export function compareListPositions(a: ListPosition, b: ListPosition): number {
  return a.rank - b.rank || compareValues(a.value, b.value) || compareScalars(a.sha256 ?? "", b.sha256 ?? "");
}

const TYPES = ["boolean", "number", "string"];

function compareValues(a: ListPosition["value"], b: ListPosition["value"]): number {
  if (typeof a === typeof b) return compareScalars(a, b);
  return TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b);
}

function compareScalars<T extends string | number | boolean>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const CursorSchema = z.strictObject({ after: PositionSchema, digest: z.string() });

/** Encodes a list cursor. `digest` identifies its request. */
export function encodeListCursor(after: ListPosition, digest: string): string {
  return serializeCursor({ after, digest });
}

/**
 * Decodes a list cursor.
 *
 * @throws {MemoryError} `schema_violation` for an invalid cursor or the cursor of another request (clause
 * LIST-11).
 */
export function decodeListCursor(text: string, digest: string): ListPosition {
  return parseCursor(CursorSchema, text, digest).after;
}
