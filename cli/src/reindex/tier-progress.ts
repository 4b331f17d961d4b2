import { parseReindexStatus, type ReindexStatus } from "@membus/protocol";
import { asAuthOperator } from "../auth/auth-host.js";
import type { Config } from "../config/config-schema.js";
import { hostName, readHostStats, type StatsReply } from "../host-stats.js";

/** Re-indexing progress of a durable tier with its current embedder and analyzer. */
export interface TierProgress extends ReindexStatus {
  readonly host_id: string;
  /** Name of the host in its cluster, or else its id. */
  readonly host: string;
  readonly tier: string;
}

/**
 * Returns the re-indexing progress of all durable tiers. Connects as the operator with `nats.auth`.
 * @throws {MemoryError} `unavailable` if no host replies.
 */
export async function readProgress(config: Config): Promise<TierProgress[]> {
  return (await readHostStats(asAuthOperator(config))).flatMap(progressOf);
}

function progressOf(host: StatsReply): TierProgress[] {
  return Object.entries(host.tiers ?? {}).flatMap(([tier, stats]) => {
    const figures = parseReindexStatus(stats);
    return figures === undefined ? [] : [{ host_id: host.id, host: hostName(host), tier, ...figures }];
  });
}
