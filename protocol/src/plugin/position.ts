import { z } from "zod";
import type { MemoryEntry } from "../entry/index.js";
import type { Order } from "../messages/index.js";
import { type MemoryTier, MemoryTierSchema, TIERS } from "../scope.js";
import { parseCursor, serializeCursor } from "./serialize-cursor.js";

/**
 * Position of an entry in the total order of a retrieve (clause RET-5). `rank` is its score or occurred_at.
 */
export const PositionSchema = z.strictObject({
  rank: z.number(),
  seq: z.number(),
  tier: MemoryTierSchema,
  namespace: z.string(),
  key_hash: z.string(),
});
export type Position = z.infer<typeof PositionSchema>;

/** Fields of an entry that determine its position. */
type Positioned = Pick<MemoryEntry, "score" | "occurred_at" | "seq" | "tier" | "namespace" | "key_hash">;

export function positionOf(entry: Positioned, order: Order): Position {
  const { seq, tier, namespace, key_hash } = entry;
  return { rank: order === "relevance" ? entry.score : entry.occurred_at, seq, tier, namespace, key_hash };
}

/** Compares two positions. Negative if `a` is listed before `b`, 0 only for the same entry. */
export function comparePositions(a: Position, b: Position, order: Order): number {
  const direction = order === "oldest" ? 1 : -1;
  return (
    direction * (a.rank - b.rank) ||
    (order === "relevance" ? 0 : direction * (a.seq - b.seq)) ||
    compareTiers(a.tier, b.tier) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.key_hash, b.key_hash)
  );
}

function compareTiers(a: MemoryTier, b: MemoryTier): number {
  return TIERS.indexOf(a) - TIERS.indexOf(b);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Content of a cursor: the last position of the page, the time of the first page, and the request's digest.
 */
const CursorSchema = z.strictObject({ after: PositionSchema, as_of: z.number(), digest: z.string() });
export type Cursor = z.infer<typeof CursorSchema>;

export function encodeCursor(cursor: Cursor): string {
  return serializeCursor(cursor);
}

/**
 * Decodes a cursor.
 *
 * @throws {MemoryError} `schema_violation` for an invalid cursor or the cursor of another request (clause
 * RET-9).
 */
export function decodeCursor(text: string, digest: string): Cursor {
  return parseCursor(CursorSchema, text, digest);
}
