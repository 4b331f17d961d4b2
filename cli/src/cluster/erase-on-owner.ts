import { entriesSubject, shardOf } from "@membus/cluster";
import type { Owner } from "@membus/plugin-kit";
import { MemoryError } from "@membus/protocol";
import { asAuthHost } from "../auth/auth-host.js";
import { asCutShort, type TierErasure } from "../erase/erase-tiers.js";
import type { Session } from "../session.js";
import { readReport } from "./read-shards.js";
import { askShard } from "./shard-control.js";
import { type ClusterAccess, withCluster } from "./with-cluster.js";

const TIMEOUT_MS = 600_000;

/**
 * Erases an owner in the shard of its tenant. It continues if this program ends, and if the shard moves to another host.
 * @throws {MemoryError} `unavailable` if no host serves the shard. Nothing was erased then. With the reason `erasure_cut_short` if bytes
 * may be left, for example on a nats-server that is down.
 */
export async function eraseOnOwner(owner: Owner, session: Session, dryRun: boolean): Promise<TierErasure[]> {
  const erase = async (access: ClusterAccess) => {
    const shard = shardOf(owner.tenant, access.identity.shardCount);
    if ((await readReport(access, shard))?.is_serving !== true)
      throw new MemoryError(
        "unavailable",
        `no host serves shard ${shard} now: nothing was erased, try again`,
      );
    const request = { cmd: "erase", args: { owner: { ...owner }, dry_run: dryRun } };
    try {
      const { result } = await askShard(access, entriesSubject(shard), request, {
        timeoutMs: TIMEOUT_MS,
      });
      return result as unknown as TierErasure[];
    } catch (error) {
      throw asCutShort(error, dryRun);
    }
  };
  return withCluster(session.config, erase, asAuthHost);
}
