import type { AgentMemory } from "@membus/agent-client";
import { type MemoryEntry, MemoryError } from "@membus/protocol";
import { briefOf } from "./entry-brief.js";
import { findAnywhere } from "./find-anywhere.js";
import type { RecentChange } from "./inspector-api.js";
import { type Query, textField, tierField } from "./query-fields.js";

const RECENT_MAX = 50;
const TEXTS_MAX = 50;

/** What was changed last, in all namespaces and tiers: a page that hears of events lists this once it hears. */
async function listRecent(memory: AgentMemory) {
  const { entries, degraded } = await findAnywhere(memory, {}, RECENT_MAX);
  const changes = entries.map(changeOf).sort((a, b) => b.at - a.at);
  return { changes, degraded };
}

function changeOf(entry: MemoryEntry): RecentChange {
  const { key, tags, revision, timestamps } = entry;
  return { ...briefOf(entry), key, tags, revision, at: timestamps.updated };
}

/** The texts of some entries of one tier and namespace: events tell keys alone. What is gone by now is left out. */
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

/** What the view *live* reads. */
export const LIVE_ROUTES = { recent: listRecent, texts: readTexts };
