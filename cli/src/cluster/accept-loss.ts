import { controlSubject } from "@membus/cluster";
import { MemoryError } from "@membus/protocol";
import type { Session } from "../session.js";
import { readReport } from "./read-shards.js";
import type { ShardReport } from "./shard-commands.js";
import { askShard } from "./shard-control.js";
import { requireShard, until, type Waiting } from "./wait-for-shards.js";
import { withCluster } from "./with-cluster.js";

const TIMEOUT_MS = 5_000;

/**
 * Opens a shard without its missing records and its missing or damaged tables, and waits until it is served.
 * @param confirmLoss asked before, with the problem of the shard.
 * @throws {MemoryError} `conflict` for a shard that has no loss to accept, or that moves to another host, `timeout` if it is
 * not served in time.
 */
export async function acceptLoss(
  session: Session,
  shard: number,
  { waitS, confirmLoss }: Waiting & { confirmLoss(problem: string): Promise<void> },
): Promise<void> {
  await withCluster(session.config, async (access) => {
    requireShard(access, shard);
    const { problem, epoch } = (await readReport(access, shard)) ?? {};
    if (!problem) throw new MemoryError("conflict", `shard ${shard} has no loss to accept`);
    await confirmLoss(problem.message);
    const request = { cmd: "accept-loss", args: { problem: problem.message } };
    await askShard(access, controlSubject(shard), request, { timeoutMs: TIMEOUT_MS });
    await until(access, waitS, async ({ shards }) => {
      const report = shards[shard]!.report;
      if (report !== null && report.epoch !== epoch)
        throw new MemoryError("conflict", `shard ${shard} has moved: run the command again`);
      if (report?.is_serving && !isSameLoss(report.problem, problem)) return undefined;
      return `shard ${shard}: ${report?.problem?.message ?? "opening"}`;
    });
    session.output.result({ shard }, () => `shard ${shard} is served without the lost parts`);
  });
}

function isSameLoss(one: ShardReport["problem"], { detail }: NonNullable<ShardReport["problem"]>): boolean {
  return one !== null && one.detail.reason === detail.reason && one.detail.parts === detail.parts;
}
