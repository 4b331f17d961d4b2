type Stats = Readonly<Record<string, number | string>>;

/** Ending of names with a time instead of a count. */
const TIME = "_at";
/** Names with a number that is not a count. */
const GENERATION = "generation";
/** States of re-indexing. The first one that a shard has is the state of the tier. */
const REINDEX_STATES: readonly (number | string)[] = ["running", "paused", "done"];

/** Name with a list of servers. */
const SERVERS = "log_servers_down_names";
const SEPARATOR = ", ";

/**
 * Adds the statistics of shards. A time is the latest of all shards. Names of servers are joined, and another text
 * is the first one.
 */
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
  if (name === SERVERS) return joined([sum, value]);
  if (typeof value === "string" || typeof sum === "string") return sum;
  return name.endsWith(TIME) || name === GENERATION ? Math.max(sum, value) : sum + value;
}

/** Returns each name of these lists once, sorted. */
function joined(lists: readonly (number | string)[]): string {
  const servers = lists.flatMap((list) => String(list).split(SEPARATOR)).filter((server) => server !== "");
  return [...new Set(servers)].sort().join(SEPARATOR);
}
