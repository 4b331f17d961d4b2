import { hash } from "node:crypto";
import { z } from "zod";
import type { ListItem, ListOrder } from "../messages/index.js";
import { cursorText, readCursor } from "./cursor-text.js";

/** Maximum UTF-16 units of a value in a cursor. Longer values would exceed the cursor limit. */
const UNITS_TOLD = 256;

const PlaceSchema = z.strictObject({
  rank: z.number(),
  value: z.union([z.string().max(UNITS_TOLD), z.number(), z.boolean()]),
  /** Hash of a truncated value, which orders values with the same beginning. */
  sha256: z.string().optional(),
});

/** Position of an item in a list (clause LIST-8). */
export type ListPlace = z.infer<typeof PlaceSchema>;

export function listPlaceOf({ value, count, newest }: ListItem, order: ListOrder): ListPlace {
  const rank = order === "name" ? 0 : -(order === "count" ? count : newest);
  if (typeof value !== "string" || value.length <= UNITS_TOLD) return { rank, value };
  return { rank, value: value.slice(0, UNITS_TOLD), sha256: hash("sha256", value) };
}

/** Compares two positions. Negative if `a` is listed before `b`, 0 only for the same value. */
export function compareListPlaces(a: ListPlace, b: ListPlace): number {
  return a.rank - b.rank || compareValues(a.value, b.value) || compareSame(a.sha256 ?? "", b.sha256 ?? "");
}

const TYPES = ["boolean", "number", "string"];

function compareValues(a: ListPlace["value"], b: ListPlace["value"]): number {
  if (typeof a === typeof b) return compareSame(a, b);
  return TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b);
}

function compareSame<T extends string | number | boolean>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const CursorSchema = z.strictObject({ after: PlaceSchema, digest: z.string() });

/** Encodes a list cursor. `digest` identifies its request. */
export function encodeListCursor(after: ListPlace, digest: string): string {
  return cursorText({ after, digest });
}

/**
 * Decodes a list cursor.
 *
 * @throws {MemoryError} `schema_violation` for an invalid cursor or the cursor of another request (clause
 * LIST-11).
 */
export function decodeListCursor(text: string, digest: string): ListPlace {
  return readCursor(CursorSchema, text, digest).after;
}
