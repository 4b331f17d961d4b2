import {
  checkEntrySize,
  isMemoryError,
  keyHash,
  LIMITS,
  MemoryError,
  type MemoryKey,
  MemoryKeySchema,
  type MemoryTier,
  normaliseKey,
  parseStoreEntry,
  type StoreEntry,
} from "@membus/protocol";
import type { Embedder, StoreItem } from "@membus/protocol/plugin";
import { checkEmbedding, type Features, missingFeature, tierNotServedError } from "../plugin-calls/index.js";

/**
 * Age in seconds up to which a past expiry is accepted. An older one cannot belong to a retry and is refused.
 * A younger one may be a retry of a store that was in time, which must get its first reply. As a first
 * attempt it is stored and expires immediately (clause ENTRY-19).
 */
const PAST_EXPIRY_ACCEPTED_SECONDS = 600;

/** A ttl is always positive, even for an entry that has already expired. */
const TTL_SECONDS_MIN = 0.001;

export interface BatchRules {
  readonly tiers: ReadonlyMap<MemoryTier, { readonly features: Features }>;
  readonly embedder: Embedder | undefined;
  /**
   * Returns the features that the tier needs for this caller. Throws `unauthorized` if the caller may not
   * write the tier, or not on this subject.
   */
  readonly requireWrite: (tier: MemoryTier) => readonly string[];
  /** Tier of entries that name none. */
  readonly tierByDefault: MemoryTier;
  /** Features that the request requires of every tier it writes to. */
  readonly required: readonly string[];
  /** Unix seconds. */
  readonly acceptedAt: number;
  readonly messageBytes: number;
}

export interface BatchError {
  readonly index: number;
  readonly key: MemoryKey | null;
  readonly error: MemoryError;
}

/**
 * Entries of a store request by tier, in request order and with unique keys, and the errors of the refused
 * entries.
 */
export interface StoreBatch {
  readonly byTier: ReadonlyMap<MemoryTier, ReadonlyMap<string, StoreItem>>;
  readonly errors: BatchError[];
}

/** Checks entries one by one. An invalid entry never makes others fail (clause STORE-2). */
export function readBatch(entries: readonly unknown[], rules: BatchRules): StoreBatch {
  const byTier = new Map<MemoryTier, Map<string, StoreItem>>();
  const errors: BatchError[] = [];
  for (const [index, value] of entries.entries()) {
    try {
      checkEntrySize(value, rules.messageBytes);
      const entry = parseStoreEntry(value);
      const tier = entry.tier ?? rules.tierByDefault;
      requireFeatures(entry, tier, rules, rules.requireWrite(tier));
      checkEmbedding(entry, rules.embedder);
      add(byTier, tier, toItem(entry, index, rules.acceptedAt), errors);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      errors.push({ index, key: readableKey(value), error });
    }
  }
  return { byTier, errors };
}

/** Adds an entry. The last valid entry of a key wins, the earlier one is refused (clause STORE-3). */
function add(
  byTier: Map<MemoryTier, Map<string, StoreItem>>,
  tier: MemoryTier,
  item: StoreItem,
  errors: BatchError[],
): void {
  const items = byTier.get(tier) ?? new Map<string, StoreItem>();
  byTier.set(tier, items);
  const earlier = items.get(item.key_hash);
  if (earlier !== undefined) {
    const error = new MemoryError("conflict", "a later entry of this request has the same key", {
      index: item.index,
    });
    errors.push({ index: earlier.index, key: earlier.key, error });
    items.delete(item.key_hash);
  }
  items.set(item.key_hash, item);
}

function toItem(entry: StoreEntry, index: number, acceptedAt: number): StoreItem {
  const { tier: _, key: given, ttl, expires_at, ...fields } = entry;
  const key = normaliseKey(given);
  const end = expiryOf({ ttl, expires_at }, acceptedAt);
  // Spreads are last, because each named field after a spread costs half a microsecond.
  return { index, key, key_hash: keyHash(key), ...end, ...fields };
}

/** Resolves `ttl` and `expires_at`: `expires_at` takes precedence. Either both are set or neither. */
function expiryOf(
  { ttl, expires_at }: Pick<StoreEntry, "ttl" | "expires_at">,
  acceptedAt: number,
): Pick<StoreItem, "ttl" | "expires_at"> {
  if (expires_at == null) {
    return ttl ? { ttl, expires_at: acceptedAt + ttl } : { ttl: null, expires_at: null };
  }
  if (expires_at < acceptedAt - PAST_EXPIRY_ACCEPTED_SECONDS) {
    throw new MemoryError("schema_violation", "expires_at is in the past", { path: "expires_at" });
  }
  return { ttl: Math.max(expires_at - acceptedAt, TTL_SECONDS_MIN), expires_at };
}

function requireFeatures(
  entry: StoreEntry,
  tier: MemoryTier,
  rules: BatchRules,
  needed: readonly string[],
): void {
  const features = rules.tiers.get(tier)?.features;
  if (features === undefined) throw tierNotServedError(tier);
  const required = [...rules.required, ...needed];
  if (entry.ttl || entry.expires_at != null) required.push("ttl");
  if (entry.if_revision != null) required.push("conditional");
  if (entry.sources?.length) required.push("sources");
  const error = missingFeature(tier, features, required);
  if (error !== undefined) throw error;
}

/** Returns the key of a refused entry for its error. Null if the key is invalid or too large to return. */
function readableKey(value: unknown): MemoryKey | null {
  const parsed = MemoryKeySchema.safeParse((value as { key?: unknown } | null)?.key);
  if (!parsed.success) return null;
  const tooLarge = Buffer.byteLength(JSON.stringify(parsed.data)) > LIMITS.keyBytes;
  return tooLarge ? null : normaliseKey(parsed.data);
}
