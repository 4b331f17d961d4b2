import type { Session } from "../session.js";
import {
  downLogServers,
  type ReportedCluster,
  type ReportedShard,
  readShards,
  sumOf,
} from "./read-shards.js";
import type { ShardReport } from "./shard-commands.js";
import { shownIdentity } from "./shown-identity.js";
import { withCluster } from "./with-cluster.js";

/** Prints hosts, shards and servers of the cluster of the settings. Errors as in `readShards`. */
export async function showStatus(session: Session): Promise<void> {
  await withCluster(session.config, async (access) => {
    const { identity } = access;
    const status = await readShards(access);
    const { hosts, shards, servers } = status;
    const report = {
      ...shownIdentity(identity),
      hosts: hosts.map(({ renewedS, ...host }) => ({ ...host, renewed_s: renewedS })),
      shards,
      servers: servers.map(({ server, isCurrent }) => ({ server, is_current: isCurrent })),
      log_servers_down: downLogServers(shards.map(({ report }) => report)),
    };
    session.output.result(report, () => describe(identity.id, status));
  });
}

function describe(id: string, { hosts, shards, servers }: ReportedCluster): string {
  const hostLines = hosts.map(({ host, state, shards, renewedS }) => {
    const lease = state === "stopped" ? "ended" : "renewed";
    return `  ${host}: ${state}, ${shards} shards, lease ${lease} ${renewedS.toFixed(1)} s ago`;
  });
  const serverLines = servers.map(
    ({ server, isCurrent }) => `  ${server}: ${isCurrent ? "current" : "down or late"}`,
  );
  const downLines = downLogServers(shards.map(({ report }) => report)).map((server) => `  ${server}`);
  const section = (title: string, lines: readonly string[]) => [
    `${title}:`,
    ...(lines.length === 0 ? ["  none"] : lines),
  ];
  return [
    `cluster ${id}`,
    ...section("hosts", hostLines),
    ...section("shards", shards.map(describeShard)),
    ...section("nats-servers of the bucket", serverLines),
    ...section("nats-servers of logs that are down or late", downLines),
  ].join("\n");
}

/** Describes one shard in a line. */
export function describeShard({ shard, host, epoch, pinned, report }: ReportedShard): string {
  const choice = pinned === null ? "" : `, moved to ${pinned} by an operator`;
  const start = `  ${shard}: ${host ?? "no owner"}, epoch ${epoch}${choice}`;
  if (host === null) return start;
  if (report === null) return `${start}, no reply`;
  const log = describeLog(report);
  if (report.problem !== null) {
    const state = report.is_serving ? "serving in part" : "cannot be opened";
    return `${start}${log}, ${state}: ${report.problem.message}`;
  }
  if (!report.is_serving) return `${start}, opening`;
  const lag = `${sumOf(report, "backlog_rows")} rows to flush, ${unflushedCount(report)} log records since the last flush`;
  return `${start}, serving, ${lag}, ${sumOf(report, "log_segments")} log streams${log}`;
}

/** Returns the number of log records after the last flush of each tier. */
function unflushedCount(report: ShardReport): number {
  const counts = Object.values(report.tiers).map(({ log_next_seq: next, flushed_seq: flushed }) =>
    next === undefined ? 0 : Number(next) - 1 - Number(flushed ?? 0),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Describes problems of the logs of a shard. */
function describeLog(report: ShardReport): string {
  const down = downLogServers([report]);
  return [
    ...(sumOf(report, "log_stalled") > 0 ? [", its log accepts no stores"] : []),
    ...(down.length > 0 ? [`, its log lacks ${down.join(" and ")}`] : []),
    ...(sumOf(report, "log_waits_for_server") > 0 ? [", erasures wait for a nats-server"] : []),
  ].join("");
}
