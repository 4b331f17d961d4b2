import {
  checkEntrySize,
  type Embedder,
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
  type StoreItem,
} from "@membus/protocol";
import { checkEmbedding, type Features, lackOf, notServed } from "../plugin-calls/index.js";

/**
 * An expiry that has passed is refused only when it is older than any retry can be. A younger one may be the retry
 * of a store that was in time, which must get its first reply; as a first attempt it is stored, and over at once
 * (clause ENTRY-19).
 */
const PAST_EXPIRY_ACCEPTED_SECONDS = 600;

/** A ttl is positive, also that of an entry which is over already. */
const TTL_SECONDS_MIN = 0.001;

export interface BatchRules {
  readonly tiers: ReadonlyMap<MemoryTier, { readonly features: Features }>;
  readonly embedder: Embedder | undefined;
  /**
   * Features that the tier must have for this caller. Throws `unauthorized` for one that it may not write, or not on this
   * subject.
   */
  readonly requireWrite: (tier: MemoryTier) => readonly string[];
  /** Of entries that name none. */
  readonly tierByDefault: MemoryTier;
  /** Features that the request demands of every tier it writes. */
  readonly demanded: readonly string[];
  /** Unix seconds. */
  readonly acceptedAt: number;
  readonly messageBytes: number;
}

export interface BatchError {
  readonly index: number;
  readonly key: MemoryKey | null;
  readonly error: MemoryError;
}

/** The entries of a store request by tier, in their order, no key twice, and why the others are not among them. */
export interface StoreBatch {
  readonly byTier: ReadonlyMap<MemoryTier, ReadonlyMap<string, StoreItem>>;
  readonly errors: BatchError[];
}

/** Checks entries one by one; a bad one never fails its neighbours (clause STORE-2). */
export function readBatch(entries: readonly unknown[], rules: BatchRules): StoreBatch {
  const byTier = new Map<MemoryTier, Map<string, StoreItem>>();
  const errors: BatchError[] = [];
  for (const [index, value] of entries.entries()) {
    try {
      checkEntrySize(value, rules.messageBytes);
      const entry = parseStoreEntry(value);
      const tier = entry.tier ?? rules.tierByDefault;
      checkOffered(entry, tier, rules, rules.requireWrite(tier));
      checkEmbedding(entry, rules.embedder);
      add(byTier, tier, toItem(entry, index, rules.acceptedAt), errors);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      errors.push({ index, key: readableKey(value), error });
    }
  }
  return { byTier, errors };
}

/** The last valid entry of a key wins; the one before it is refused (clause STORE-3). */
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
  // Spreads at the end: named fields after a spread cost half a microsecond each.
  return { index, key, key_hash: keyHash(key), ...end, ...fields };
}

/** `expires_at` wins over `ttl`; afterwards both are set, or none. */
function expiryOf(
  { ttl, expires_at }: Pick<StoreEntry, "ttl" | "expires_at">,
  acceptedAt: number,
): Pick<StoreItem, "ttl" | "expires_at"> {
  if (expires_at == null) {
    return ttl ? { ttl, expires_at: acceptedAt + ttl } : { ttl: null, expires_at: null };
  }
  if (expires_at < acceptedAt - PAST_EXPIRY_ACCEPTED_SECONDS) {
    throw new MemoryError("schema_violation", "expires_at is past", { path: "expires_at" });
  }
  return { ttl: Math.max(expires_at - acceptedAt, TTL_SECONDS_MIN), expires_at };
}

function checkOffered(
  entry: StoreEntry,
  tier: MemoryTier,
  rules: BatchRules,
  needed: readonly string[],
): void {
  const features = rules.tiers.get(tier)?.features;
  if (features === undefined) throw notServed(tier);
  const demanded = [...rules.demanded, ...needed];
  if (entry.ttl || entry.expires_at != null) demanded.push("ttl");
  if (entry.if_revision != null) demanded.push("conditional");
  if (entry.sources?.length) demanded.push("sources");
  const lack = lackOf(tier, features, demanded);
  if (lack !== undefined) throw lack;
}

/** The key of an entry that was refused, to name it by; null where it is none, or too large to send back. */
function readableKey(value: unknown): MemoryKey | null {
  const parsed = MemoryKeySchema.safeParse((value as { key?: unknown } | null)?.key);
  if (!parsed.success) return null;
  const tooLarge = Buffer.byteLength(JSON.stringify(parsed.data)) > LIMITS.keyBytes;
  return tooLarge ? null : normaliseKey(parsed.data);
}
