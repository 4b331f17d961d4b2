import { shardOf } from "@membus/cluster";
import type { Owner } from "@membus/plugin-kit";
import { asCutShort, type TierErasure } from "../erase/erase-tiers.js";
import type { Session } from "../session.js";
import { askShard } from "./shard-control.js";
import { withCluster } from "./with-cluster.js";

/** An erasure waits until all servers have deleted the streams with its bytes. */
const TIMEOUT_MS = 600_000;

/**
 * Erases an owner in the shard of its tenant. It continues if this program ends, or if the shard moves to another host.
 * @throws {MemoryError} with the reason `erasure_cut_short` if its end is unknown.
 */
export async function eraseOnOwner(owner: Owner, session: Session, dryRun: boolean): Promise<TierErasure[]> {
  return withCluster(session.config, async ({ bus, identity }) => {
    const request = { cmd: "erase", args: { owner: { ...owner }, dry_run: dryRun } };
    try {
      const done = await askShard(bus, shardOf(owner.tenant, identity.shardCount), request, TIMEOUT_MS);
      return done as unknown as TierErasure[];
    } catch (error) {
      throw asCutShort(error, dryRun);
    }
  });
}
