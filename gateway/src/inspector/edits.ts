import type { AgentMemory } from "@membus/agent-client";
import {
  type Json,
  type JsonObject,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type MemoryTier,
  TIERS,
} from "@membus/protocol";
import { listForgetMatches } from "./forget-matches.js";
import { invalidField } from "./query-fields.js";

type EditRoute = (memory: AgentMemory, body: JsonObject) => Promise<unknown>;

const FORGOTTEN_MAX = 200;

/**
 * Stores new content and tags of an entry at the revision that was shown. `conflict` if the entry has changed
 * since. Other fields stay.
 */
async function editEntry(memory: AgentMemory, body: JsonObject) {
  const place = placeIn(body);
  const { content, tags } = body;
  const { revision } = body;
  if (content === undefined) throw invalidField("content", "is required");
  if (!isTexts(tags)) throw invalidField("tags", "must be a list of strings");
  if (typeof revision !== "number" || revision < 1)
    throw invalidField("revision", "must be the revision of the entry");
  const entry = await currentEntry(memory, place, textIn(body, "key"));
  const edited = { ...kept(entry), content: content as Json, tags, if_revision: revision };
  const { receipts } = await memory.inNamespace(place.namespace).store(edited);
  return { outcome: receipts[0]!.outcome, revision: receipts[0]!.revision };
}

/** Returns the fields that a store would otherwise reset (clause UPD-1, UPD-4). */
function kept({ key, tier, source, expires_at }: MemoryEntry) {
  return { key, tier, source, ...(expires_at !== undefined && { expires_at }) };
}

/**
 * Returns the entries that a forget would remove, with derived entries if `cascade` is set. Nothing is
 * forgotten.
 */
async function previewForget(memory: AgentMemory, body: JsonObject) {
  const { place, keys, cascade } = forgetOf(body);
  const criteria = { ...place, keys, ...(cascade && { cascade }) };
  const { deleted, receipt } = await memory.forget({ ...criteria, dry_run: true });
  return { deleted, by_tier: receipt.by_tier, ...(await listForgetMatches(memory, criteria)) };
}

async function forgetEntries(memory: AgentMemory, body: JsonObject) {
  const { place, keys, cascade } = forgetOf(body);
  const { deleted, receipt } = await memory.forget({ ...place, keys, ...(cascade && { cascade }) });
  return { deleted, by_tier: receipt.by_tier, purge: receipt.purge };
}

interface Place {
  readonly tier: MemoryTier;
  readonly namespace: string;
}

/** Forgets by key hash only, so that entries stored after the preview stay. */
function forgetOf(body: JsonObject) {
  const { keys, cascade = false } = body;
  if (!isTexts(keys) || keys.length === 0 || keys.length > FORGOTTEN_MAX) {
    throw invalidField("keys", `must be a list of 1..${FORGOTTEN_MAX} key hashes`);
  }
  if (typeof cascade !== "boolean") throw invalidField("cascade", "must be true or false");
  return { place: placeIn(body), keys: keys.map(($hash) => ({ $hash })), cascade };
}

function placeIn(body: JsonObject): Place {
  const tier = TIERS.find((known) => known === body.tier);
  if (tier === undefined) throw invalidField("tier", `must be one of ${TIERS.join(", ")}`);
  return { tier, namespace: textIn(body, "namespace") };
}

function textIn(body: JsonObject, name: string): string {
  const text = body[name];
  if (typeof text === "string" && text !== "" && text.length <= LIMITS.stringLength) return text;
  throw invalidField(name, "must be a non-empty string");
}

async function currentEntry(memory: AgentMemory, place: Place, $hash: string): Promise<MemoryEntry> {
  const { entries } = await memory.retrieve({ ...place, keys: [{ $hash }] });
  if (entries[0] === undefined) throw new MemoryError("memory_not_found", "the entry does not exist");
  return entries[0];
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

/** Routes that change memory, by their name below `/inspector/`. */
export const EDIT_ROUTES: Readonly<Record<string, EditRoute>> = {
  edit: editEntry,
  "forget/preview": previewForget,
  forget: forgetEntries,
};
