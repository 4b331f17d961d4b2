import type { EntryInput } from "@membus/agent-client";
import { isJsonObject, type Json, type MemoryEntry, type StoreError, TIERS } from "@membus/protocol";

/**
 * Converts an entry of the SDK. The SDK sends every field: `source` "" and `ttl` 0 mean absent, and
 * `created_at` is when the entry occurred. The host validates the entry. Returns undefined if `sent` is not
 * an object with a key and content. A content of null is a value (clause ENTRY-17).
 */
export function entryToStore(sent: unknown): EntryInput | undefined {
  if (!isJsonObject(sent) || sent.key == null || sent.content === undefined) return undefined;
  const { key, content, tier, tags, source, score, ttl, created_at } = sent as Record<
    string,
    Json | undefined
  >;
  const entry = {
    key,
    tier,
    tags,
    score,
    ttl,
    source: source === "" ? undefined : source,
    occurred_at: created_at,
  };
  const given = Object.entries(entry).filter(([, value]) => value !== undefined && value !== null);
  return { ...Object.fromEntries(given), content } as unknown as EntryInput;
}

/** Converts an entry to the field types that the SDK requires. `now`: Unix seconds. */
export function entryToSend(entry: MemoryEntry, now: number): Readonly<Record<string, unknown>> {
  const { key, content, tier, tags, source, score, expires_at, timestamps } = entry;
  return {
    ...{ key, content, tier, tags, source, score },
    ttl: expires_at === undefined ? 0 : Math.max(1, Math.ceil(expires_at - now)),
    created_at: timestamps.created,
    updated_at: timestamps.updated,
  };
}

/** Returns a string key as an object with a `name`. */
export function keyToSend(key: EntryInput["key"]): Json {
  return typeof key === "string" ? { name: key } : key;
}

/** Orders entries by tier as a recall does. The SDK takes the first entry. */
export function byTier(entries: readonly MemoryEntry[]): readonly MemoryEntry[] {
  return entries.toSorted((a, b) => TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier));
}

/** Returns an error as text, because the SDK accepts only strings. */
export function errorText({ index, code, message }: StoreError): string {
  return `entry ${index}: ${code}: ${message}`;
}
