import { type ClusterStatus, controlSubject, readStatus, type ShardStatus, sumStats } from "@membus/cluster";
import { isMemoryError, monotonicClock } from "@membus/protocol";
import type { ShardReport } from "./shard-commands.js";
import { askShard } from "./shard-control.js";
import type { ClusterAccess } from "./with-cluster.js";

const REPORT_TIMEOUT_MS = 2_000;

/** A shard, and what its owner says about it. */
export interface ReportedShard extends ShardStatus {
  /** Null without an owner, or if the owner does not reply. */
  readonly report: ShardReport | null;
}

export interface ReportedCluster extends ClusterStatus {
  readonly shards: readonly ReportedShard[];
}

/** Figure of a tier: servers with streams of its log that are down or late. */
const DOWN_NAMES = "log_servers_down_names";

/** Reads the records of a cluster and asks the owner of each shard. Errors as in `readStatus`. */
export async function readShards(access: ClusterAccess): Promise<ReportedCluster> {
  const { bucket, identity, logger } = access;
  const status = await readStatus(bucket, identity, { clock: monotonicClock, logger });
  const report = async (shard: ShardStatus) => ({
    ...shard,
    report: shard.host === null ? null : await readReport(access, shard.shard),
  });
  return { ...status, shards: await Promise.all(status.shards.map(report)) };
}

/** Returns null if the owner does not reply. */
export async function readReport(access: ClusterAccess, shard: number): Promise<ShardReport | null> {
  try {
    const { result } = await askShard(
      access,
      controlSubject(shard),
      { cmd: "status" },
      { timeoutMs: REPORT_TIMEOUT_MS },
    );
    return result as unknown as ShardReport;
  } catch (error) {
    if (isMemoryError(error)) return null;
    throw error;
  }
}

/** Returns the servers with streams of the logs of these shards that are down or late, sorted. */
export function downLogServers(reports: readonly (ShardReport | null)[]): string[] {
  const sums = sumStats(reports.flatMap((report) => Object.values(report?.tiers ?? {})));
  return String(sums[DOWN_NAMES] ?? "")
    .split(", ")
    .filter((name) => name !== "");
}

/** Adds a figure of all tiers of a shard. */
export function sumOf({ tiers }: ShardReport, figure: string): number {
  return Object.values(tiers).reduce((sum, figures) => sum + Number(figures[figure] ?? 0), 0);
}
