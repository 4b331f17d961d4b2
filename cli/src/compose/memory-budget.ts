import { HOST_DEFAULTS } from "@membus/host";
import { KIT_DEFAULTS } from "@membus/plugin-kit";
import { LANCE_STORAGE_DEFAULTS } from "@membus/plugin-lancedb";
import { LRU_DEFAULTS } from "@membus/plugin-lru";
import type { Config } from "../config/config-schema.js";
import type { MemoryLimit } from "../config/memory-limit.js";

const MIB = 1024 * 1024;
/** RSS of an idle host with its languages and the default embedder. */
const IDLE_BYTES = 320 * MIB;
/** Share of the limit that is allocated. The rest is for requests in progress and uncollected garbage. */
const ALLOCATED_SHARE = 0.9;
/** Ratio of RSS to counted bytes: allocators and V8 keep free space. */
const OVERHEAD = 1.3;
/** Share of V8's heap that is allocated, because small partitions are mostly in the heap. */
const HEAP_ALLOCATED_SHARE = 0.7;
/** Heap reserved for code and requests in progress. */
const HEAP_IDLE_BYTES = 96 * MIB;
/** Bytes of a remembered operation, excluding its reply. */
const OPERATION_BYTES = 350;
/** Bytes of a known partition. */
const KNOWN_SCOPE_BYTES = 300;
/** Number of tiers with a log. */
const DURABLE_COUNT = 2;

type Section = "host" | "lru" | "kit" | "storage";
type Bounds = Readonly<Record<string, number>>;

/** Limits that are scaled with the memory limit, by section. */
const DEFAULTS = {
  host: pick(HOST_DEFAULTS, ["inFlightBytesMax", "agentInFlightBytesMax", "embedderCacheBytesMax"]),
  lru: pick(LRU_DEFAULTS, ["bytesMax", "scopeBytesMax", "operationBytesMax", "operationCountMax"]),
  kit: pick(KIT_DEFAULTS, [
    "residentBytesMax",
    "bodyCacheBytes",
    "backlogBytesMax",
    "operationCountMax",
    "knownScopeCountMax",
    "partitionRowsMax",
    "partitionBytesMax",
    "partitionVectorBytesMax",
  ]),
  storage: pick(LANCE_STORAGE_DEFAULTS, ["indexCacheBytes", "metadataCacheBytes"]),
} as const;

/**
 * Share of the heap budget that a buffer gets at most, before the caches are scaled. Buffers absorb bursts: if
 * they are too small, requests are refused although the disk would soon catch up.
 */
const BUFFER_SHARE = 1 / 40;
/** The same for the backlogs of all shards of a tier. One host may have to serve all of them. */
const SHARD_BACKLOGS_SHARE = 1 / 10;
/** Smallest backlog of a shard that the options accept. */
const SHARD_BACKLOG_MIN = MIB;

/** Minimum limits, so that messages of the usual size are accepted. */
const MINIMUMS: Bounds = {
  inFlightBytesMax: 8 * MIB,
  agentInFlightBytesMax: 2 * MIB,
  embedderCacheBytesMax: MIB,
  backlogBytesMax: 8 * MIB,
  operationBytesMax: 4 * MIB,
  bodyCacheBytes: 4 * MIB,
  indexCacheBytes: 4 * MIB,
  metadataCacheBytes: 4 * MIB,
};

/** Limits of data within a partition. The arrays of a partition are outside V8's heap. */
const OUTSIDE_HEAP: ReadonlySet<string> = new Set([
  "partitionRowsMax",
  "partitionBytesMax",
  "partitionVectorBytesMax",
  "indexCacheBytes",
  "metadataCacheBytes",
]);

/**
 * Returns the settings with every limit that is not configured scaled down to fit the memory limit.
 * @param shardCount number of shards in a cluster. Each has a backlog. Other limits hold for a whole tier.
 */
export function fitToMemory(config: Config, limit: MemoryLimit, shardCount?: number): Config {
  const budget = Math.max(0, ALLOCATED_SHARE * limit.limitBytes - IDLE_BYTES) / OVERHEAD;
  const heapBudget = Math.min(budget, Math.max(0, HEAP_ALLOCATED_SHARE * limit.heapBytes - HEAP_IDLE_BYTES));
  const buffers = bufferBounds(heapBudget, shardCount);
  const backlogCount = DURABLE_COUNT * (shardCount ?? 1);
  const buffered = buffers.inFlightBytesMax + backlogCount * buffers.backlogBytesMax;
  const kept = keptBytes();
  const shareOf = (bytes: number) => Math.min(1, Math.max(0, bytes - buffered) / kept);
  const [share, heapShare] = [shareOf(budget), shareOf(heapBudget)];
  const boundOf = (name: string, max: number) => {
    if (name === "inFlightBytesMax" || name === "backlogBytesMax") return buffers[name];
    const shrunk = Math.floor(max * (OUTSIDE_HEAP.has(name) ? share : heapShare));
    return Math.min(max, Math.max(MINIMUMS[name] ?? 1, shrunk));
  };
  const shrunk = (section: Section) => {
    const bounds = Object.entries(DEFAULTS[section]).map(([name, max]) => [name, boundOf(name, max)]);
    return { ...Object.fromEntries(bounds), ...config[section] };
  };
  return {
    ...config,
    host: shrunk("host"),
    lru: shrunk("lru"),
    kit: shrunk("kit"),
    storage: shrunk("storage"),
  };
}

interface BufferBounds {
  readonly inFlightBytesMax: number;
  /** Limit of one shard, if there are shards. */
  readonly backlogBytesMax: number;
}

function bufferBounds(heapBudget: number, shardCount: number | undefined): BufferBounds {
  const { inFlightBytesMax, backlogBytesMax } = { ...DEFAULTS.host, ...DEFAULTS.kit };
  const between = (min: number, bytes: number, max: number) =>
    Math.floor(Math.min(max, Math.max(min, bytes)));
  const buffer = BUFFER_SHARE * heapBudget;
  return {
    inFlightBytesMax: between(MINIMUMS.inFlightBytesMax!, buffer, inFlightBytesMax),
    backlogBytesMax:
      shardCount === undefined
        ? between(MINIMUMS.backlogBytesMax!, buffer, backlogBytesMax)
        : between(SHARD_BACKLOG_MIN, (SHARD_BACKLOGS_SHARE * heapBudget) / shardCount, backlogBytesMax),
  };
}

/** Returns the default size of everything but buffers. Limits per agent and per partition are included in it. */
function keptBytes(): number {
  const { host, lru, kit, storage } = DEFAULTS;
  const working = lru.bytesMax + lru.operationBytesMax + OPERATION_BYTES * lru.operationCountMax;
  const cached = kit.bodyCacheBytes + storage.indexCacheBytes + storage.metadataCacheBytes;
  const known = OPERATION_BYTES * kit.operationCountMax + KNOWN_SCOPE_BYTES * kit.knownScopeCountMax;
  return working + DURABLE_COUNT * (kit.residentBytesMax + cached + known) + host.embedderCacheBytesMax;
}

function pick<T, K extends keyof T>(defaults: T, names: readonly K[]): Readonly<Record<K, number>> {
  return Object.fromEntries(names.map((name) => [name, defaults[name]])) as unknown as Record<K, number>;
}
