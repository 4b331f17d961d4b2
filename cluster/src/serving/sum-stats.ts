type Stats = Readonly<Record<string, number | string>>;

/** Ending of names with a time instead of a count. */
const TIME = "_at";
/** Names with a number that is not a count. */
const GENERATION = "generation";
/** States of re-indexing. The first one that a shard has is the state of the tier. */
const REINDEX_STATES: readonly (number | string)[] = ["running", "paused", "done"];

/** Adds the statistics of shards. A time is the latest of all shards, and another text the first one. */
export function sumStats(all: Iterable<Stats>): Stats {
  const sums: Record<string, number | string> = {};
  for (const stats of all) {
    for (const [name, value] of Object.entries(stats)) sums[name] = added(name, sums[name], value);
  }
  // A plugin that failed has exactly this value (clause DISC-6).
  return sums.failed === undefined ? sums : { ...sums, failed: Math.min(Number(sums.failed), 1) };
}

function added(name: string, sum: number | string | undefined, value: number | string): number | string {
  if (sum === undefined) return value;
  if (name === "reindex_state") return REINDEX_STATES.find((state) => state === sum || state === value)!;
  if (typeof value === "string" || typeof sum === "string") return sum;
  return name.endsWith(TIME) || name === GENERATION ? Math.max(sum, value) : sum + value;
}
