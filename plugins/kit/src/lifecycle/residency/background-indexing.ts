import { type Clock, type Scope, scopeId } from "@membus/protocol";
import type { Partition } from "../../search/index.js";
import type { LoadedPartition } from "./loaded-partition.js";
import type { PartitionRegistry } from "./partition-registry.js";

/** Rows indexed per step, which takes a few milliseconds. */
const STEP_ROWS = 1_024;
/** Rows above which words are indexed without a query. Words that are not indexed take six times the memory. */
const UNINDEXED_ROWS_MAX = 65_536;
/** Limit of the duration of a step. Seconds. */
const STEP_S_MAX = 0.1;

/**
 * End of the latest step of any partition of the process, so that no step counts the time of another one as
 * query time.
 */
const latestEnds = new WeakMap<Clock, number>();

/** Indexes the words of the latest rows if they are few. Scanning them in a query would take longer. */
export function indexFewRows(partition: Partition): void {
  if (partition.unindexedCount <= STEP_ROWS) partition.indexSome(STEP_ROWS);
}

/**
 * Indexes the words of queried partitions and encodes their vectors in the background. Until then, queries
 * scan the rows. `clock` is the host's clock, which all its tiers share.
 */
export function indexInBackground(registry: PartitionRegistry, scopes: readonly Scope[], clock: Clock): void {
  for (const scope of scopes) {
    const loaded = registry.peek(scopeId(scope));
    if (loaded !== undefined && !loaded.isIndexing) startIndexing(registry, loaded, clock);
  }
}

/** Indexes the words of a partition in the background if many rows were stored without a query. */
export function indexManyRows(registry: PartitionRegistry, loaded: LoadedPartition, clock: Clock): void {
  if (loaded.partition.unindexedCount > UNINDEXED_ROWS_MAX && !loaded.isIndexing)
    startIndexing(registry, loaded, clock);
}

function startIndexing(registry: PartitionRegistry, loaded: LoadedPartition, clock: Clock): void {
  loaded.isIndexing = true;
  const step = (): void => {
    const begunAt = clock.now();
    const endedAt = latestEnds.get(clock) ?? begunAt;
    // A step may take as long as the requests since the last step. Otherwise a series of long queries would
    // leave no time to index.
    const until = begunAt + Math.min(STEP_S_MAX, begunAt - endedAt);
    let isDone = loaded.isUnloaded;
    do isDone ||= loaded.partition.indexSome(STEP_ROWS);
    while (!isDone && clock.now() < until);
    latestEnds.set(clock, clock.now());
    loaded.isIndexing = !isDone;
    registry.measure(loaded);
    if (!isDone) setImmediate(step);
  };
  if (!latestEnds.has(clock)) latestEnds.set(clock, clock.now());
  setImmediate(step);
}
