import type { AgentMemory, ListRequest, ListResult } from "@membus/agent-client";
import { isMemoryError, LIMITS, MemoryError } from "@membus/protocol";

export interface EntryCount {
  readonly entries: number;
  /** Approximate size as JSON. */
  readonly bytes: number;
  /** Latest time at which an entry occurred. Null without entries. */
  readonly newest: number | null;
}

/**
 * Counts entries in all namespaces. A tier that is not served has none. @throws {MemoryError} if the number is
 * not known, for example because a tier does not answer.
 */
export async function entriesIn(
  memory: AgentMemory,
  criteria: Pick<ListRequest, "tier" | "where">,
): Promise<EntryCount> {
  try {
    const request = { ...criteria, namespace: "**", depth: 1, limit: LIMITS.listLimit };
    return sumOf(await memory.list(request));
  } catch (error) {
    if (isMemoryError(error) && error.code === "unsupported") return { entries: 0, bytes: 0, newest: null };
    throw error;
  }
}

/** Adds the items of a list up. @throws {MemoryError} if the list is not complete. */
export function sumOf({
  items,
  cursor,
  degraded,
}: Pick<ListResult, "items" | "cursor" | "degraded">): EntryCount {
  if (cursor !== undefined) throw new MemoryError("too_large", "there are too many namespaces to count");
  const [failure] = degraded ?? [];
  if (failure !== undefined) throw new MemoryError("unavailable", failure.message);
  return {
    entries: items.reduce((sum, { count }) => sum + count, 0),
    bytes: items.reduce((sum, { bytes }) => sum + bytes, 0),
    newest: items.length === 0 ? null : Math.max(...items.map(({ newest }) => newest)),
  };
}
