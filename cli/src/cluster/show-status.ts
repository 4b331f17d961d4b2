import type { Session } from "../session.js";
import { type ReportedCluster, type ReportedShard, readShards, sumOf } from "./read-shards.js";
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
    };
    session.output.result(report, () => describe(identity.id, status));
  });
}

function describe(id: string, { hosts, shards, servers }: ReportedCluster): string {
  const hostLines = hosts.map(
    ({ host, state, shards, renewedS }) =>
      `  ${host}: ${state}, ${shards} shards, lease renewed ${renewedS.toFixed(1)} s ago`,
  );
  const serverLines = servers.map(
    ({ server, isCurrent }) => `  ${server}: ${isCurrent ? "current" : "down or late"}`,
  );
  const section = (title: string, lines: readonly string[]) => [
    `${title}:`,
    ...(lines.length === 0 ? ["  none"] : lines),
  ];
  return [
    `cluster ${id}`,
    ...section("hosts", hostLines),
    ...section("shards", shards.map(describeShard)),
    ...section("nats-servers of the bucket", serverLines),
  ].join("\n");
}

/** Describes one shard in a line. */
export function describeShard({ shard, host, epoch, pinned, report }: ReportedShard): string {
  const choice = pinned === null ? "" : `, moved to ${pinned} by an operator`;
  const start = `  ${shard}: ${host ?? "no owner"}, epoch ${epoch}${choice}`;
  if (host === null) return start;
  if (report === null) return `${start}, no reply`;
  const stall = sumOf(report, "log_stalled") > 0 ? ", its log accepts no stores" : "";
  if (report.problem !== null) {
    const state = report.is_serving ? "serving in part" : "cannot be opened";
    return `${start}${stall}, ${state}: ${report.problem.message}`;
  }
  if (!report.is_serving) return `${start}, opening`;
  return `${start}, serving, ${sumOf(report, "backlog_rows")} rows to flush, ${sumOf(report, "log_segments")} log streams${stall}`;
}
