import { connectNatsBus } from "@membus/bus";
import { MemoryError, systemClock } from "@membus/protocol";
import type { Config } from "./config/config-schema.js";
import { natsOptions } from "./flags/nats-options.js";
import { createLogger } from "./logger.js";

const WAIT_MS = 500;

/** Reply of one host to `$SRV.STATS`. */
export interface StatsReply {
  readonly id: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tiers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Number of replies by request type and bucket. `bounds_ms` are the upper bounds of the buckets. */
  readonly latency?: {
    readonly bounds_ms: readonly number[];
    readonly counts: Readonly<Record<string, readonly number[]>>;
  };
}

/** Returns the name of the host in its cluster, or else its id. */
export function hostName({ id, metadata }: StatsReply): string {
  return metadata?.cluster_host ?? id;
}

/**
 * Returns the statistics of all running hosts, by name.
 * @throws {MemoryError} `unavailable` if no host replies, or if the user may not send the request.
 */
export async function readHostStats(config: Config): Promise<StatsReply[]> {
  const ports = { clock: systemClock, logger: createLogger("silent") };
  const bus = await connectNatsBus(await natsOptions(config, "membus-cli"), ports);
  try {
    const answers = await bus.requestMany("$SRV.STATS.membus", new Uint8Array(0), { waitMs: WAIT_MS });
    if (answers.length === 0)
      throw new MemoryError("unavailable", "no host replied: start one with `membus up`");
    const hosts = answers.map(({ payload }) => JSON.parse(Buffer.from(payload).toString()) as StatsReply);
    return hosts.sort((a, b) => (hostName(a) < hostName(b) ? -1 : 1));
  } finally {
    await bus.close();
  }
}
