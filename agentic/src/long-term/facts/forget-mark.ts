import { randomUUID } from "node:crypto";
import type { MemoryEntry } from "@membus/protocol";
import type { NamespaceView } from "../shelf.js";

const KEY = { forgotten: "all" };

/** Longer than anything takes that was begun before. */
const MARK_KEPT_S = 7 * 86_400;

/**
 * The revision of the mark that everything here was forgotten; 0 where that was never, or long ago. What was begun under
 * an earlier one is not written any more.
 */
export async function forgetMark(shelf: NamespaceView): Promise<number> {
  const entries: ReadonlyMap<string, MemoryEntry> = await shelf.byKey([KEY]);
  return [...entries.values()][0]?.revision ?? 0;
}

/** Set before everything is forgotten. */
export async function setForgetMark(shelf: NamespaceView): Promise<void> {
  const metadata = { kind: "forgotten", id: randomUUID() };
  await shelf.store([{ key: KEY, content: null, metadata, text: "forgotten", ttl: MARK_KEPT_S }]);
}
