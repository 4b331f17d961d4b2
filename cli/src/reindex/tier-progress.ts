import { connectNatsBus } from "@membus/bus";
import { MemoryError, type ReindexFigures, reindexFigures, systemClock } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { natsOptions } from "../flags/nats-options.js";
import { createLogger } from "../logger.js";

const WAIT_MS = 500;

/** How far a durable tier is with its present embedder and analyzer. */
export interface TierProgress extends ReindexFigures {
  readonly host_id: string;
  readonly tier: string;
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
  return (await readStats(config)).flatMap(progressOf);
}

/** Durable tiers of hosts that run and take no stores at present. */
export async function readFailedTiers(config: Config): Promise<string[]> {
  return (await readStats(config)).flatMap(({ tiers = {} }) =>
    Object.keys(tiers).filter((tier) => tiers[tier]?.serving === false),
  );
}

async function readStats(config: Config): Promise<StatsReply[]> {
  const ports = { clock: systemClock, logger: createLogger("silent") };
  const bus = await connectNatsBus(await natsOptions(config, "membus-cli"), ports);
  try {
    const answers = await bus.requestMany("$SRV.STATS.membus", new Uint8Array(0), { waitMs: WAIT_MS });
    if (answers.length === 0) throw new MemoryError("unavailable", "no host answers");
    return answers.map(({ payload }) => JSON.parse(Buffer.from(payload).toString()) as StatsReply);
  } finally {
    await bus.close();
  }
}

function progressOf({ id, tiers = {} }: StatsReply): TierProgress[] {
  return Object.entries(tiers).flatMap(([tier, stats]) => {
    const figures = reindexFigures(stats);
    return figures === undefined ? [] : [{ host_id: id, tier, ...figures }];
  });
}
