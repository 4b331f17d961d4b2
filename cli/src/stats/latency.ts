import type { StatsReply } from "../host-stats.js";

/** Latencies of the replies to one type of request. */
export interface Latency {
  /** Such as `store`. */
  readonly type: string;
  /** Number of replies by bucket, fastest first. */
  readonly counts: readonly number[];
  /** Bounds in milliseconds within which half, 95 % and 99 % of the replies were sent. Infinite: none. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Adds the latencies of all hosts up. Hosts of an earlier version report none. */
export function latenciesOf(hosts: readonly StatsReply[]): Latency[] {
  const bounds = hosts.find(({ latency }) => latency !== undefined)?.latency?.bounds_ms ?? [];
  const totals = new Map<string, number[]>();
  for (const { latency } of hosts) {
    for (const [type, counts] of Object.entries(latency?.counts ?? {})) {
      const before = totals.get(type);
      totals.set(
        type,
        before === undefined ? [...counts] : before.map((count, i) => count + (counts[i] ?? 0)),
      );
    }
  }
  return [...totals].map(([type, counts]) => {
    const within = (share: number) => boundOf(counts, bounds, share);
    return {
      type: type.replace(/^memory\/|\/req$/g, ""),
      counts,
      p50: within(0.5),
      p95: within(0.95),
      p99: within(0.99),
    };
  });
}

function boundOf(counts: readonly number[], bounds: readonly number[], share: number): number {
  const needed = share * counts.reduce((sum, count) => sum + count, 0);
  let sum = 0;
  const bucket = counts.findIndex((count) => {
    sum += count;
    return sum >= needed;
  });
  return bounds[bucket] ?? Number.POSITIVE_INFINITY;
}
