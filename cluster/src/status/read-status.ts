import { jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import { millis, type NatsConnection } from "@nats-io/transport-node";
import { type ClusterBucket, storeError } from "../bucket/index.js";
import { OWNERSHIP_KEYS, parseOwnership } from "../ownership/index.js";
import type { ClusterIdentity } from "../start/index.js";

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
}

export interface ClusterStatus {
  readonly hosts: readonly HostStatus[];
  readonly shards: readonly ShardStatus[];
  /** Servers that store the bucket. `isCurrent` is false for one that is down or late. */
  readonly servers: readonly { readonly server: string; readonly isCurrent: boolean }[];
}

/** Reads hosts, owners and servers of a cluster. Errors as in the bucket. */
export async function readStatus(
  connection: NatsConnection,
  bucket: ClusterBucket,
  { shardCount, leaseMs }: ClusterIdentity,
): Promise<ClusterStatus> {
  const info = await readInfo(connection, bucket);
  const hosts = new Map<string, Omit<HostStatus, "shards">>();
  const found = new Map<number, { readonly host: string; readonly epoch: number }>();
  for (const { key, value, writtenAt } of await bucket.entries(OWNERSHIP_KEYS)) {
    const named = parseOwnership(key, value);
    if (named?.kind === "shard" && named.record !== undefined) found.set(named.shard, named.record);
    if (named?.kind !== "host" || named.record === undefined) continue;
    const renewedS = Math.max(0, Date.parse(info.ts ?? "") / 1_000 - writtenAt);
    const { host, record } = named;
    hosts.set(host, { host, renewedS, state: stateOf(record, renewedS * 1_000 > leaseMs) });
  }
  const shards = Array.from({ length: shardCount }, (_, shard): ShardStatus => {
    const { host = "", epoch = 0 } = found.get(shard) ?? {};
    const { state = "stopped" } = hosts.get(host) ?? {};
    return { shard, epoch, host: state === "stopped" || state === "late" ? null : host };
  });
  const countOf = (host: string) => shards.filter((shard) => shard.host === host).length;
  return {
    hosts: [...hosts.values()].map((host) => ({ ...host, shards: countOf(host.host) })),
    shards,
    servers: serversOf(info),
  };
}

async function readInfo(connection: NatsConnection, { stream }: ClusterBucket): Promise<StreamInfo> {
  try {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    return await streams.info(stream);
  } catch (error) {
    throw storeError(error);
  }
}

function stateOf(
  { instance, isLeaving }: { readonly instance: string; readonly isLeaving: boolean },
  isLate: boolean,
): HostStatus["state"] {
  if (instance === "") return "stopped";
  if (isLate) return "late";
  return isLeaving ? "leaving" : "running";
}

/** A server that answers its leader within this time is not late. */
const LATE_AFTER_MS = 3_000;

function serversOf({ cluster }: StreamInfo): ClusterStatus["servers"] {
  const { leader, replicas = [] } = cluster ?? {};
  const others = replicas.map(({ name, current, offline, active }) => ({
    server: name,
    isCurrent: current && offline !== true && millis(active) <= LATE_AFTER_MS,
  }));
  return leader === undefined ? others : [{ server: leader, isCurrent: true }, ...others];
}
