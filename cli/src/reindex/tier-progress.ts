import { type ReindexFigures, reindexFigures } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { readHostStats, type StatsReply } from "../host-stats.js";

/** How far a durable tier is with its present embedder and analyzer. */
export interface TierProgress extends ReindexFigures {
  readonly host_id: string;
  readonly tier: string;
}

/**
 * What the hosts that run say of their durable tiers.
 * @throws {MemoryError} `unavailable` when none answers.
 */
export async function readProgress(config: Config): Promise<TierProgress[]> {
  return (await readHostStats(config)).flatMap(progressOf);
}

function progressOf({ id, tiers = {} }: StatsReply): TierProgress[] {
  return Object.entries(tiers).flatMap(([tier, stats]) => {
    const figures = reindexFigures(stats);
    return figures === undefined ? [] : [{ host_id: id, tier, ...figures }];
  });
}
