import { HOST_DEFAULTS } from "@membus/host";
import { KIT_DEFAULTS } from "@membus/plugin-kit";
import { LANCE_STORAGE_DEFAULTS } from "@membus/plugin-lancedb";
import { LRU_DEFAULTS } from "@membus/plugin-lru";
import type { Config } from "../config/config-schema.js";
import type { MemoryLimit } from "../config/memory-limit.js";

const MIB = 1024 * 1024;
/** RSS of a host that serves nothing yet, with its languages and the default embedder. */
const IDLE_BYTES = 320 * MIB;
/** What of the limit is given out: requests under way and what is not garbage-collected yet need room too. */
const GIVEN_OUT = 0.9;
/** RSS to what is counted: allocators and V8 keep free room. */
const OVERHEAD = 1.3;
/** Of V8's heap, as small partitions are in it for the most part. */
const HEAP_GIVEN_OUT = 0.7;
/** Of the heap, for code and what is under way, however small it is. */
const HEAP_IDLE_BYTES = 96 * MIB;
/** Of a remembered operation, besides its reply. */
const OPERATION_BYTES = 350;
/** Of a partition that is known to be there. */
const KNOWN_SCOPE_BYTES = 300;
/** Tiers with a log. */
const DURABLE_COUNT = 2;

type Section = "host" | "lru" | "kit" | "storage";
type Bounds = Readonly<Record<string, number>>;

/** Bounds that are shares of the memory limit, by section. `heap` are those that V8's heap has to hold. */
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
 * What takes in a burst: too small, and one is refused that the disk would soon have caught up with. They come before
 * what is kept, each with at most so much of the room.
 */
const BUFFERS: ReadonlySet<string> = new Set(["inFlightBytesMax", "backlogBytesMax"]);
const BUFFER_SHARE = 1 / 40;

/** Bounds that are no smaller, so that messages of the usual size are served. */
const LEAST: Bounds = {
  inFlightBytesMax: 8 * MIB,
  agentInFlightBytesMax: 2 * MIB,
  embedderCacheBytesMax: MIB,
  backlogBytesMax: 8 * MIB,
  operationBytesMax: 4 * MIB,
  bodyCacheBytes: 4 * MIB,
  indexCacheBytes: 4 * MIB,
  metadataCacheBytes: 4 * MIB,
};

/** What stays within a partition, whose arrays are outside of V8's heap. */
const OUTSIDE_HEAP: ReadonlySet<string> = new Set([
  "partitionRowsMax",
  "partitionBytesMax",
  "partitionVectorBytesMax",
  "indexCacheBytes",
  "metadataCacheBytes",
]);

/** The settings with every bound that they do not name made as small as the memory limit asks for. */
export function withinMemory(config: Config, limit: MemoryLimit): Config {
  const room = Math.max(0, GIVEN_OUT * limit.limitBytes - IDLE_BYTES) / OVERHEAD;
  const heapRoom = Math.min(room, Math.max(0, HEAP_GIVEN_OUT * limit.heapBytes - HEAP_IDLE_BYTES));
  const bufferMax = BUFFER_SHARE * heapRoom;
  const { buffered, kept } = countedBytes(bufferMax);
  const shareOf = (bytes: number) => Math.min(1, Math.max(0, bytes - buffered) / kept);
  const [share, heapShare] = [shareOf(room), shareOf(heapRoom)];
  const boundOf = (name: string, max: number) => {
    if (BUFFERS.has(name)) return bufferOf(name, max, bufferMax);
    const shrunk = Math.floor(max * (OUTSIDE_HEAP.has(name) ? share : heapShare));
    return Math.min(max, Math.max(LEAST[name] ?? 1, shrunk));
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

function bufferOf(name: string, max: number, bufferMax: number): number {
  return Math.floor(Math.min(max, Math.max(LEAST[name] ?? 1, bufferMax)));
}

/** All buffers as they become, all other bounds at their defaults. What an agent and a partition may take is within. */
function countedBytes(bufferMax: number): { readonly buffered: number; readonly kept: number } {
  const { host, lru, kit, storage } = DEFAULTS;
  const inFlight = bufferOf("inFlightBytesMax", host.inFlightBytesMax, bufferMax);
  const backlog = bufferOf("backlogBytesMax", kit.backlogBytesMax, bufferMax);
  const working = lru.bytesMax + lru.operationBytesMax + OPERATION_BYTES * lru.operationCountMax;
  const cached = kit.bodyCacheBytes + storage.indexCacheBytes + storage.metadataCacheBytes;
  const known = OPERATION_BYTES * kit.operationCountMax + KNOWN_SCOPE_BYTES * kit.knownScopeCountMax;
  const durable = kit.residentBytesMax + cached + known;
  return {
    buffered: inFlight + DURABLE_COUNT * backlog,
    kept: working + DURABLE_COUNT * durable + host.embedderCacheBytesMax,
  };
}

function pick<T, K extends keyof T>(defaults: T, names: readonly K[]): Readonly<Record<K, number>> {
  return Object.fromEntries(names.map((name) => [name, defaults[name]])) as unknown as Record<K, number>;
}
