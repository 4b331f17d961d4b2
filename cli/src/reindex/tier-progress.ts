import { connectNatsBus } from "@membus/bus";
import { MemoryError, systemClock } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { createLogger } from "../logger.js";
import { natsOptions } from "../nats-options.js";

const WAIT_MS = 500;

/** How far a durable tier is with its present embedder and analyzer. */
export interface TierProgress {
  readonly host_id: string;
  readonly tier: string;
  readonly state: "done" | "running" | "paused";
  readonly generation: number;
  readonly embedder: string;
  readonly analyzer: string;
  /** Rows in all, and those of the present generation. */
  readonly total: number;
  readonly done: number;
}

interface StatsReply {
  readonly id: string;
  readonly tiers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * What the hosts that run say of their durable tiers.
 * @throws {MemoryError} `unavailable` when none answers.
 */
export async function readProgress(config: Config): Promise<TierProgress[]> {
  const ports = { clock: systemClock, logger: createLogger("silent") };
  const bus = await connectNatsBus(await natsOptions(config, "membus-cli"), ports);
  try {
    const answers = await bus.requestMany("$SRV.STATS.membus", new Uint8Array(0), { waitMs: WAIT_MS });
    if (answers.length === 0) throw new MemoryError("unavailable", "no host answers");
    return answers.flatMap(({ payload }) =>
      progressOf(JSON.parse(Buffer.from(payload).toString()) as StatsReply),
    );
  } finally {
    await bus.close();
  }
}

function progressOf({ id, tiers = {} }: StatsReply): TierProgress[] {
  return Object.entries(tiers).flatMap(([tier, stats]) => {
    if (stats.reindex_state === undefined) return [];
    const { reindex_state, generation, embedder, analyzer, reindex_total, reindex_done } = stats;
    const progress = { state: reindex_state, generation, embedder, analyzer };
    return [{ host_id: id, tier, ...progress, total: reindex_total, done: reindex_done } as TierProgress];
  });
}
