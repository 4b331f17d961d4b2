import type { AgentMemory } from "@membus/agent-client";
import { type MemoryEntry, MemoryError } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { briefOf } from "./entry-brief.js";
import { findAnywhere } from "./find-anywhere.js";
import type { RecentChange } from "./inspector-api.js";
import { type Query, textField, tierField } from "./query-fields.js";

const RECENT_MAX = 50;
const TEXTS_MAX = 50;

/**
 * Lists the latest changes in all namespaces and tiers. A page calls it after it has subscribed to events.
 */
async function listRecent(memory: AgentMemory) {
  const { entries, degraded } = await findAnywhere(memory, {}, RECENT_MAX);
  const changes = entries.map(changeOf).sort((a, b) => b.at - a.at);
  return { changes, degraded };
}

export function changeOf(entry: MemoryEntry): RecentChange {
  const { key, tags, revision, timestamps, occurred_at } = entry;
  const fact = readRecord(entry, "fact");
  const since = fact && { since: fact.metadata.valid_from ?? occurred_at };
  return { ...briefOf(entry), key, tags, revision, at: timestamps.updated, ...since };
}

/**
 * Returns the texts of entries in one tier and namespace, because events contain only keys. Missing entries
 * are left out.
 */
async function readTexts(memory: AgentMemory, query: Query) {
  const hashes = textField(query, "keys").split(",");
  if (hashes.length > TEXTS_MAX) throw new MemoryError("too_large", `keys: at most ${TEXTS_MAX}`);
  const { entries } = await memory.retrieve({
    tier: tierField(query),
    namespace: textField(query, "namespace"),
    keys: hashes.map(($hash) => ({ $hash })),
    limit: TEXTS_MAX,
  });
  return { entries: entries.map((entry) => ({ ...briefOf(entry), revision: entry.revision })) };
}

/** Routes of the view *live*. */
export const LIVE_ROUTES = { recent: listRecent, texts: readTexts };
