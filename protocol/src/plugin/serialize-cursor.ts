import type { z } from "zod";
import { MemoryError } from "../memory-error.js";

/** Part of every cursor: the digest of its request. */
interface RequestCursor {
  readonly digest: string;
}

export function serializeCursor<Cursor extends RequestCursor>(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor), "utf8").toString("base64url");
}

/**
 * Parses a cursor.
 *
 * @throws {MemoryError} `schema_violation` for an invalid cursor or the cursor of another request (clauses
 * RET-9 and LIST-11).
 */
export function parseCursor<Cursor extends RequestCursor>(
  schema: z.ZodType<Cursor>,
  text: string,
  digest: string,
): Cursor {
  const parsed = schema.safeParse(readJson(text));
  if (!parsed.success)
    throw new MemoryError("schema_violation", "invalid cursor: pass the `cursor` of a reply", {
      path: "cursor",
    });
  if (parsed.data.digest !== digest) {
    const message = "the cursor belongs to a request with other criteria";
    throw new MemoryError("schema_violation", message, { path: "cursor" });
  }
  return parsed.data;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
