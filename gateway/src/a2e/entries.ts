import type { EntryInput } from "@membus/agent-client";
import { isJsonObject, type Json, type MemoryEntry, type StoreError, TIERS } from "@membus/protocol";

/**
 * An entry as the SDK sends it: every field is there, `source` "" and `ttl` 0 where none was given, and `created_at` says
 * when it happened. What it may hold is the host's to judge; undefined for what is no entry at all.
 */
export function entryToStore(sent: unknown): EntryInput | undefined {
  if (!isJsonObject(sent) || sent.key === undefined || sent.content === undefined) return undefined;
  const { key, content, tier, tags, source, score, ttl, created_at } = sent as Record<
    string,
    Json | undefined
  >;
  const entry = {
    key,
    content,
    tier,
    tags,
    score,
    ttl,
    source: source === "" ? undefined : source,
    occurred_at: created_at,
  };
  const given = Object.entries(entry).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as unknown as EntryInput;
}

/** An entry with every field of the type that the SDK insists on. `now`: Unix seconds. */
export function entryToSend(entry: MemoryEntry, now: number): Readonly<Record<string, unknown>> {
  const { key, content, tier, tags, source, score, expires_at, timestamps } = entry;
  return {
    ...{ key, content, tier, tags, source, score },
    ttl: expires_at === undefined ? 0 : Math.max(1, Math.ceil(expires_at - now)),
    created_at: timestamps.created,
    updated_at: timestamps.updated,
  };
}

/** A string is short for a name. */
export function keyToSend(key: EntryInput["key"]): Json {
  return typeof key === "string" ? { name: key } : key;
}

/** Entries found by key, of which the first is taken: in the order in which a recall asks the tiers. */
export function byTier(entries: readonly MemoryEntry[]): readonly MemoryEntry[] {
  return entries.toSorted((a, b) => TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier));
}

/** The SDK takes texts. */
export function errorText({ index, code, message }: StoreError): string {
  return `entry ${index}: ${code}: ${message}`;
}
