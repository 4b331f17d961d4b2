import { drainHost, pinShard } from "@membus/cluster";
import { MemoryError } from "@membus/protocol";
import type { Session } from "../session.js";
import { type ReportedCluster, readShards } from "./read-shards.js";
import { requireShard, until, type Waiting } from "./wait-for-shards.js";
import { withCluster } from "./with-cluster.js";

/**
 * Gives the shards of a host to others, and waits for it. The host takes none until it is restarted.
 * @throws {MemoryError} `conflict` if no other host takes shards, `timeout` if the host still owns some.
 */
export async function drain(session: Session, host: string, { waitS }: Waiting): Promise<void> {
  await withCluster(session.config, async (access) => {
    await until(access, waitS, async (status) => {
      const found = status.hosts.find((one) => one.host === host);
      if (found?.state === "stopped") return undefined;
      if (found?.state === "late") return `the lease of host ${host} has ended, and others take its shards`;
      if (found?.state !== "leaving") {
        requireOther(status, host);
        await drainHost(access.bucket, host, true);
        session.output.note(`${host} gives ${found?.shards ?? 0} shards away`);
        return `host ${host} is asked to give its shards away`;
      }
      return found.shards === 0 ? undefined : `host ${host} still owns ${found.shards} shards`;
    });
    const text = `host ${host} owns no shards and takes none until it is restarted`;
    session.output.result({ host, is_drained: true }, () => text);
  });
}

/** Lets a drained host take shards again. @throws {MemoryError} `conflict` if it does not run. */
export async function endDrain(session: Session, host: string): Promise<void> {
  await withCluster(session.config, ({ bucket }) => drainHost(bucket, host, false));
  session.output.result({ host, is_drained: false }, () => `host ${host} takes shards again`);
}

function requireOther({ hosts }: ReportedCluster, host: string): void {
  if (hosts.some((one) => one.host !== host && one.state === "running")) return;
  throw new MemoryError("conflict", `no other host takes shards: start one before ${host} is drained`);
}

/**
 * Moves a shard to a host, and waits until the host serves it. The shard stays there while the host runs.
 * @throws {TypeError} for a shard that the cluster does not have.
 * @throws {MemoryError} `conflict` if the host takes no shards, `timeout` if it does not serve the shard in time.
 */
export async function move(session: Session, shard: number, host: string, { waitS }: Waiting): Promise<void> {
  await withCluster(session.config, async (access) => {
    requireShard(access, shard);
    const { hosts } = await readShards(access);
    if (!hosts.some((one) => one.host === host && one.state === "running"))
      throw new MemoryError("conflict", `host ${host} takes no shards: see \`membus cluster status\``);
    await pinShard(access.bucket, shard, host);
    await until(access, waitS, async ({ shards }) => {
      const found = shards[shard]!;
      const isThere = found.host === host && found.report?.is_serving === true;
      return isThere ? undefined : `shard ${shard} is at ${found.host ?? "no host"}`;
    });
    session.output.result({ shard, host }, () => `host ${host} serves shard ${shard}`);
  });
}

/** Lets the cluster choose the host of a shard again. @throws {TypeError} for a shard that it does not have. */
export async function endMove(session: Session, shard: number): Promise<void> {
  await withCluster(session.config, async (access) => {
    requireShard(access, shard);
    await pinShard(access.bucket, shard, undefined);
  });
  session.output.result({ shard, host: null }, () => `the cluster chooses the host of shard ${shard}`);
}
