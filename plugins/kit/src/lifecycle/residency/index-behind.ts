import { type Clock, type Scope, scopeId } from "@membus/protocol";
import type { Partition } from "../../search/index.js";
import type { PartitionRegistry } from "./partition-registry.js";
import type { Resident } from "./resident.js";

/** Rows indexed at a step: a few milliseconds. */
const STEP_ROWS = 1_024;
/** What a step may take at most. Seconds. */
const STEP_S_MAX = 0.1;

/** When the latest step ended, of any partition of the process: no step makes up for the time that another took. */
const latestEnds = new WeakMap<Clock, number>();

/** Indexes the words of the latest rows where they are few; a query would take longer to look through them. */
export function indexFew(partition: Partition): void {
  if (partition.unindexedCount <= STEP_ROWS) partition.indexSome(STEP_ROWS);
}

/**
 * Indexes the words of partitions that were asked, and encodes their vectors, behind the queries, which look through
 * the rows as long as that takes. `clock` is the host's, which all its tiers share.
 */
export function indexBehind(registry: PartitionRegistry, scopes: readonly Scope[], clock: Clock): void {
  for (const scope of scopes) {
    const resident = registry.peek(scopeId(scope));
    if (resident !== undefined && !resident.isBeingIndexed) indexOne(registry, resident, clock);
  }
}

function indexOne(registry: PartitionRegistry, resident: Resident, clock: Clock): void {
  resident.isBeingIndexed = true;
  const step = (): void => {
    const begunAt = clock.now();
    const endedAt = latestEnds.get(clock) ?? begunAt;
    // As long as what came in between: long queries, one after the other, would leave it no time to make them shorter.
    const until = begunAt + Math.min(STEP_S_MAX, begunAt - endedAt);
    let isDone = resident.hasLeft;
    do isDone ||= resident.partition.indexSome(STEP_ROWS);
    while (!isDone && clock.now() < until);
    latestEnds.set(clock, clock.now());
    resident.isBeingIndexed = !isDone;
    registry.measure(resident);
    if (!isDone) setImmediate(step);
  };
  if (!latestEnds.has(clock)) latestEnds.set(clock, clock.now());
  setImmediate(step);
}
