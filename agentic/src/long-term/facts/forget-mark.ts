import { randomUUID } from "node:crypto";
import type { MemoryEntry } from "@membus/protocol";
import type { NamespaceView } from "../namespace-view.js";

const KEY = { forgotten: "all" };

/** Seconds. Longer than any operation that started before the forget can take. */
const MARK_KEPT_S = 7 * 86_400;

/**
 * Returns the revision of the forget mark, or 0 if there is none. Operations that started under an earlier
 * mark must not write.
 */
export async function forgetMark(view: NamespaceView): Promise<number> {
  const entries: ReadonlyMap<string, MemoryEntry> = await view.byKey([KEY]);
  return [...entries.values()][0]?.revision ?? 0;
}

/** Sets the forget mark, before everything is forgotten. */
export async function setForgetMark(view: NamespaceView): Promise<void> {
  const metadata = { kind: "forgotten", id: randomUUID() };
  await view.store([{ key: KEY, content: null, metadata, text: "forgotten", ttl: MARK_KEPT_S }]);
}
