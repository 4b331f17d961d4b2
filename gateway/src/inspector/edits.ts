import type { AgentMemory } from "@membus/agent-client";
import {
  type ErrorCode,
  type Json,
  type JsonObject,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type MemoryTier,
  TIERS,
} from "@membus/protocol";
import { listVictims } from "./victims.js";

type EditRoute = (memory: AgentMemory, body: JsonObject) => Promise<unknown>;

const FORGOTTEN_MAX = 200;

/**
 * Stores the content and the tags of an entry anew, over the revision that was looked at: one that was changed since is
 * `conflict`. What else it says of itself stays.
 */
async function editEntry(memory: AgentMemory, body: JsonObject) {
  const place = placeIn(body);
  const { content, tags } = body;
  const { revision } = body;
  if (content === undefined) throw wrong("content", "it is needed");
  if (!isTexts(tags)) throw wrong("tags", "it must be a list of texts");
  if (typeof revision !== "number" || revision < 1) throw wrong("revision", "it must be that of the entry");
  const entry = await currentEntry(memory, place, textIn(body, "key"));
  const edited = { ...kept(entry), content: content as Json, tags, if_revision: revision };
  const { receipts, errors } = await memory.inNamespace(place.namespace).store(edited);
  const [error] = errors;
  if (error !== undefined) throw new MemoryError(error.code as ErrorCode, error.message, error.detail ?? {});
  return { outcome: receipts[0]!.outcome, revision: receipts[0]!.revision };
}

/** What a store would otherwise take from it (clause UPD-1, UPD-4). */
function kept({ key, tier, source, expires_at }: MemoryEntry) {
  return { key, tier, source, ...(expires_at !== undefined && { expires_at }) };
}

/** What forgetting these entries takes, with what was derived from them if it is to go, too. Nothing is forgotten. */
async function previewForget(memory: AgentMemory, body: JsonObject) {
  const { place, keys, cascade } = forgetOf(body);
  const criteria = { ...place, keys, ...(cascade && { cascade }) };
  const { deleted, receipt } = await memory.forget({ ...criteria, dry_run: true });
  return { deleted, by_tier: receipt.by_tier, ...(await listVictims(memory, criteria)) };
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

/** Always keys: what was looked at goes, and nothing that came since. */
function forgetOf(body: JsonObject) {
  const { keys, cascade = false } = body;
  if (!isTexts(keys) || keys.length === 0 || keys.length > FORGOTTEN_MAX) {
    throw wrong("keys", `it must be a list of 1..${FORGOTTEN_MAX} key hashes`);
  }
  if (typeof cascade !== "boolean") throw wrong("cascade", "it must be true or false");
  return { place: placeIn(body), keys: keys.map(($hash) => ({ $hash })), cascade };
}

function placeIn(body: JsonObject): Place {
  const tier = TIERS.find((known) => known === body.tier);
  if (tier === undefined) throw wrong("tier", `it must be one of ${TIERS.join(", ")}`);
  return { tier, namespace: textIn(body, "namespace") };
}

function textIn(body: JsonObject, name: string): string {
  const text = body[name];
  if (typeof text === "string" && text !== "" && text.length <= LIMITS.stringLength) return text;
  throw wrong(name, "it must be a text");
}

async function currentEntry(memory: AgentMemory, place: Place, $hash: string): Promise<MemoryEntry> {
  const { entries } = await memory.retrieve({ ...place, keys: [{ $hash }] });
  if (entries[0] === undefined) throw new MemoryError("memory_not_found", "there is no such entry any more");
  return entries[0];
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function wrong(path: string, why: string): MemoryError {
  return new MemoryError("schema_violation", `${path}: ${why}`, { path });
}

/** What changes memory, by what stands behind `/inspector/`. */
export const EDIT_ROUTES: Readonly<Record<string, EditRoute>> = {
  edit: editEntry,
  "forget/preview": previewForget,
  forget: forgetEntries,
};
