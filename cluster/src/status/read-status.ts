import type { MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { StreamInfo } from "@nats-io/jetstream";
import { type ClusterBucket, isAbsent } from "../bucket/index.js";
import { OwnershipView } from "../ownership/index.js";
import type { ClusterIdentity } from "../start/index.js";

/** States of a host that owns no shard. */
const ENDED: ReadonlySet<HostStatus["state"]> = new Set(["stopped", "late"]);

export interface HostStatus {
  readonly host: string;
  /** `running`, `leaving` or `stopped`, or `late` if the lease has ended and no other host has noticed it. */
  readonly state: "running" | "leaving" | "stopped" | "late";
  /** Seconds since the last renewal of its lease, by the clock of the servers. */
  readonly renewedS: number;
  /** Number of shards that it owns. */
  readonly shards: number;
}

export interface ShardStatus {
  readonly shard: number;
  /** Null if no running host owns it. */
  readonly host: string | null;
  /** Number of hosts that have owned it, 0 before the first one. */
  readonly epoch: number;
  /** Host that an operator chose with `membus cluster move`. Null without one. */
  readonly pinned: string | null;
}

export interface ClusterStatus {
  /** By name. */
  readonly hosts: readonly HostStatus[];
  readonly shards: readonly ShardStatus[];
  /** Servers that store the bucket. `isCurrent` is false for one that is down or late. */
  readonly servers: readonly { readonly server: string; readonly isCurrent: boolean }[];
}

/** Reads hosts, owners and servers of a cluster. Errors as in the bucket. */
export async function readStatus(
  bucket: ClusterBucket,
  { shardCount, leaseMs }: ClusterIdentity,
  { clock, logger }: { readonly clock: MonotonicClock; readonly logger: Logger },
): Promise<ClusterStatus> {
  const info = await bucket.info();
  const now = Date.parse(info?.ts ?? "") / 1_000;
  const view = new OwnershipView(bucket, clock, logger);
  await view.poll();
  const names = [...view.hosts].sort(([a], [b]) => (a < b ? -1 : 1));
  const hosts = names.flatMap(([host, { record, writtenAt }]) => {
    if (record === undefined) return [];
    const renewedS = Math.max(0, now - writtenAt);
    return [{ host, renewedS, state: stateOf(record, renewedS * 1_000 > leaseMs) }];
  });
  const running = new Set(hosts.filter(({ state }) => !ENDED.has(state)).map(({ host }) => host));
  const shards = Array.from({ length: shardCount }, (_, shard): ShardStatus => {
    const { host = "", epoch = 0 } = view.shards.get(shard)?.record ?? {};
    const pinned = view.pins.get(shard)?.record?.host || null;
    return { shard, epoch, host: running.has(host) ? host : null, pinned };
  });
  const countOf = (host: string) => shards.filter((shard) => shard.host === host).length;
  return {
    hosts: hosts.map((host) => ({ ...host, shards: countOf(host.host) })),
    shards,
    servers: serversOf(info),
  };
}

function stateOf(
  { instance, isLeaving }: { readonly instance: string; readonly isLeaving: boolean },
  isLate: boolean,
): HostStatus["state"] {
  if (instance === "") return "stopped";
  if (isLate) return "late";
  return isLeaving ? "leaving" : "running";
}

function serversOf(info: StreamInfo | undefined): ClusterStatus["servers"] {
  const { leader, replicas = [] } = info?.cluster ?? {};
  const others = replicas.map((replica) => ({ server: replica.name, isCurrent: !isAbsent(replica) }));
  return leader === undefined ? others : [{ server: leader, isCurrent: true }, ...others];
}
