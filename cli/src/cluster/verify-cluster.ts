import { controlSubject } from "@membus/cluster";
import { isMemoryError } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import type { OnProgress } from "../terminal/task-progress.js";
import { readReport } from "./read-shards.js";
import { askShard } from "./shard-control.js";
import type { TierVerification } from "./verify-tiers.js";
import { type ClusterAccess, withCluster } from "./with-cluster.js";

/** A shard of ten million rows takes some minutes. */
const TIMEOUT_MS = 1_800_000;

export interface ShardVerification {
  readonly shard: number;
  readonly tiers: readonly TierVerification[];
  /** Why the shard could not be read. Null if it was. */
  readonly error: string | null;
}

/** Asks the owner of each shard to read all its tables and streams, one shard after another. Errors as in `withCluster`. */
export async function verifyCluster(config: Config, onProgress: OnProgress): Promise<ShardVerification[]> {
  return withCluster(config, async (access) => {
    const { shardCount } = access.identity;
    const reports: ShardVerification[] = [];
    for (let shard = 0; shard < shardCount; shard++) {
      onProgress(shard, shardCount, `shard ${shard}`);
      reports.push(await verifyShard(access, shard));
    }
    return reports;
  });
}

async function verifyShard(access: ClusterAccess, shard: number): Promise<ShardVerification> {
  const report = await readReport(access, shard);
  if (report?.is_serving !== true)
    return { shard, tiers: [], error: report?.problem?.message ?? "no host serves this shard" };
  try {
    const options = { timeoutMs: TIMEOUT_MS };
    const { result } = await askShard(access, controlSubject(shard), { cmd: "verify" }, options);
    return { shard, tiers: result as unknown as TierVerification[], error: null };
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return { shard, tiers: [], error: error.message };
  }
}

export function hasProblem({ tiers, error }: ShardVerification): boolean {
  return error !== null || tiers.some(({ problem_count: count }) => count > 0);
}

export function describeShard(verified: ShardVerification): string {
  const { shard, tiers, error } = verified;
  return [
    `${hasProblem(verified) ? "FAIL" : "ok  "}  shard ${shard}${error === null ? "" : `: ${error}`}`,
    ...tiers.flatMap(({ tier, rows, tables, records, problems, problem_count: count }) => [
      `      ${tier}: ${rows} rows of ${tables} tables, ${records} records in the log`,
      ...problems.map((problem) => `      ${problem}`),
      ...(count > problems.length ? [`      and ${count - problems.length} further problems`] : []),
    ]),
  ].join("\n");
}
