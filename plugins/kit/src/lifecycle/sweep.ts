import { type Clock, parseScopeId } from "@membus/protocol";
import type { Flusher, Journal } from "../journal/index.js";
import type { ResolvedKitOptions } from "../kit-options.js";
import type { Retention } from "../retention.js";
import type { Storage } from "../storage.js";
import { Yielder } from "../yielder.js";
import { evictOverflow } from "./eviction.js";
import type { Expiry } from "./expiry.js";
import type { Removals } from "./removals.js";
import type { LoadedPartition } from "./residency/loaded-partition.js";
import type { PartitionRegistry } from "./residency/partition-registry.js";

/** Limit of the scopes with expired rows that a sweep loads from disk. */
const EXPIRED_SCOPES = 256;
/** Postings scanned per step, about a millisecond. */
const STEP_POSTINGS = 100_000;

export interface SweepParts {
  readonly clock: Clock;
  readonly options: Pick<ResolvedKitOptions, "flushAtMaintenance">;
  readonly registry: PartitionRegistry;
  readonly expiry: Expiry;
  readonly removals: Removals;
  readonly retention: Retention | undefined;
  readonly journal: Journal;
  /** Set for a durable tier. */
  readonly stored: StoredTier | undefined;
}

interface StoredTier {
  readonly flusher: Flusher;
  readonly storage: Pick<Storage, "expiredScopes">;
  /** Checks whether the log can be written, and reopens it if possible. */
  probe(): Promise<void>;
  /** Runs the storage's maintenance between flushes. */
  maintain(): Promise<void>;
}

/** Runs background work: expiry, idle sessions, flushing, compaction and purge. */
export async function sweep(parts: SweepParts): Promise<void> {
  const { registry, expiry, stored } = parts;
  const yielder = new Yielder();
  await stored?.probe();
  for (const loaded of [...registry.partitions]) {
    if (!loaded.isUnloaded) await expiry.expireInSteps(loaded);
    // Includes partitions that were in use when their last entry was removed.
    registry.unloadEmpty(loaded);
    await yielder.yieldIfDue();
  }
  endIdleSessions(parts);
  evictOverflow(parts);
  await clearForgotten(registry);
  if (stored === undefined) return;
  try {
    await flushAndExpire(parts, stored);
  } finally {
    // Runs even if the flush fails on a full disk, because it frees space.
    await stored.maintain();
  }
}

async function flushAndExpire(
  { clock, options, registry, expiry, journal }: SweepParts,
  stored: StoredTier,
): Promise<void> {
  const { flushAtMaintenance } = options;
  if (flushAtMaintenance) await stored.flusher.flush();
  const expired = await stored.storage.expiredScopes(clock.now(), EXPIRED_SCOPES);
  for (const scope of expired) {
    await registry.use(parseScopeId(scope), (loaded) => expiry.expireInSteps(loaded));
  }
  await expiry.log(journal);
  // The storage finds these scopes until their removals are flushed.
  if (flushAtMaintenance || expired.length > 0) await stored.flusher.flush();
}

/** Erases forgotten rows from the word and attribute indexes. */
export async function clearForgotten(registry: PartitionRegistry): Promise<void> {
  for (const loaded of [...registry.partitions]) {
    if (!loaded.hasForgottenRows) continue;
    loaded.hasForgottenRows = false;
    for (const _step of loaded.partition.clearDead(STEP_POSTINGS)) await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
}

function endIdleSessions(parts: Pick<SweepParts, "clock" | "registry" | "removals" | "retention">): void {
  const { clock, registry, retention } = parts;
  if (retention === undefined) return;
  const partitions = [...registry.partitions];
  const usedAt = new Map<string, number>();
  for (const loaded of partitions) {
    const { session } = loaded;
    const latest = loaded.users > 0 ? Number.POSITIVE_INFINITY : loaded.usedAt;
    usedAt.set(session, Math.max(latest, usedAt.get(session) ?? 0));
  }
  const idleSince = clock.now() - retention.idleS;
  for (const loaded of partitions) {
    if (usedAt.get(loaded.session)! <= idleSince) endScope(parts, loaded);
  }
}

function endScope(
  { registry, removals }: Pick<SweepParts, "registry" | "removals">,
  loaded: LoadedPartition,
): void {
  const { columns, keys } = loaded.partition;
  const live = [...columns.live(loaded.partition.liveCount)];
  const versions = live.map((slot) => ({ keyHash: keys.hashOf(slot), rowId: columns.numbers.rowId[slot]! }));
  for (const version of versions) removals.remove(loaded, version, { action: "expired" });
  registry.unloadEmpty(loaded);
}
