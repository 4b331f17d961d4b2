import type { Json } from "@membus/protocol";
import type { ShardedPlugins } from "./sharded-plugins.js";

/** Problems that are named. A reply has space for them. */
const PROBLEMS_MAX = 50;
const PROBLEM_LENGTH_MAX = 500;

/** Result of verifying one tier of a shard, as JSON. */
export interface TierVerification {
  readonly tier: string;
  readonly rows: number;
  readonly tables: number;
  readonly records: number;
  readonly problem_count: number;
  /** The first problems. */
  readonly problems: readonly string[];
}

/** Verifies the durable tiers of a shard that this host serves. Errors as in `verifyOpen`. */
export async function verifyTiers(shard: number, plugins: ShardedPlugins): Promise<Json> {
  const verified: TierVerification[] = [];
  for (const [tier, sharded] of Object.entries(plugins)) {
    const report = await sharded.onShard(shard, (plugin) => plugin.verifyOpen());
    if (report === undefined) continue;
    const { parts, records, problems } = report;
    const named = problems.slice(0, PROBLEMS_MAX).map((problem) => problem.slice(0, PROBLEM_LENGTH_MAX));
    const rows = parts.reduce((sum, part) => sum + part.rows, 0);
    const counts = { rows, tables: parts.length, records, problem_count: problems.length };
    verified.push({ tier, ...counts, problems: named });
  }
  return verified as unknown as Json;
}
