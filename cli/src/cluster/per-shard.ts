import { KIT_DEFAULTS } from "@membus/plugin-kit";
import { LANCE_STORAGE_DEFAULTS } from "@membus/plugin-lancedb";
import { LRU_DEFAULTS } from "@membus/plugin-lru";
import type { Config } from "../config/config-schema.js";

const MIB = 1024 * 1024;
/** Defaults of `kit`. Object stores charge for each request of a flush, and the log keeps the rows on several servers. */
const FLUSHES = { flushIdleMs: 60_000, flushAtMaintenance: false };

/** Limits of a whole tier. Other limits, such as the number of remembered operations, hold for each shard. */
const SHARED = {
  lru: ["entriesMax", "bytesMax"],
  kit: ["residentBytesMax", "bodyCacheBytes", "knownScopeCountMax"],
  storage: ["openTablesMax", "indexCacheBytes", "metadataCacheBytes"],
} as const;

/** Returns the settings of one shard. One host may have to serve all shards, so each gets an equal part. */
export function perShard(config: Config, shardCount: number): Config {
  const divided = <T extends object>(names: readonly string[], defaults: T, given: object = {}): T => {
    const bounds = { ...defaults, ...given } as Record<string, number>;
    const parts = names.map((name) => [
      name,
      Math.max(minimumOf(name), Math.floor(bounds[name]! / shardCount)),
    ]);
    return { ...defaults, ...given, ...Object.fromEntries(parts) };
  };
  return {
    ...config,
    lru: divided(SHARED.lru, LRU_DEFAULTS, config.lru),
    kit: divided(SHARED.kit, { ...KIT_DEFAULTS, ...FLUSHES }, config.kit),
    storage: divided(SHARED.storage, LANCE_STORAGE_DEFAULTS, config.storage),
  };
}

/** Smallest value that the options accept. */
function minimumOf(name: string): number {
  return /bytes/i.test(name) ? MIB : 1;
}
