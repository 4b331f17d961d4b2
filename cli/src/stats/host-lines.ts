import { hostName, type StatsReply } from "../host-stats.js";

/** Figures of a tier that are shown if it has them. The JSON output has all. */
const COUNTS = ["shards", "lru_entries", "quota_entries", "partitions", "calls_waiting", "backlog_rows"];

/** Returns a line for each tier of each host. If there are several hosts, also one for each tier of all of them. */
export function hostLines(hosts: readonly StatsReply[]): string[] {
  const lines = hosts.flatMap((host) =>
    Object.entries(host.tiers ?? {}).map(([tier, figures]) => {
      const plugin = figures.plugin === undefined ? [] : [`plugin ${figures.plugin}`];
      return lineOf(`host ${hostName(host)}`, tier, [...plugin, ...countsOf([figures])]);
    }),
  );
  if (hosts.length < 2) return lines;
  const tiers = [...new Set(hosts.flatMap(({ tiers = {} }) => Object.keys(tiers)))];
  const sums = tiers.map((tier) =>
    lineOf("all hosts", tier, countsOf(hosts.map((host) => host.tiers?.[tier] ?? {}))),
  );
  return [...lines, ...sums];
}

function lineOf(who: string, tier: string, shown: readonly string[]): string {
  return `${who}  ${tier}  ${shown.join(", ")}`;
}

/** Adds each figure up that at least one of the tiers has. */
function countsOf(tiers: readonly Readonly<Record<string, unknown>>[]): string[] {
  return COUNTS.flatMap((name) => {
    const counts = tiers.map((figures) => figures[name]).filter((figure) => typeof figure === "number");
    return counts.length === 0 ? [] : `${name} ${counts.reduce((sum, count) => sum + count, 0)}`;
  });
}
