import { connectNatsBus } from "@membus/bus";
import { type ClusterIdentity, type ClusterStatus, findCluster, readStatus } from "@membus/cluster";
import { monotonicClock, systemClock } from "@membus/protocol";
import { natsOptions } from "../flags/nats-options.js";
import { createLogger } from "../logger.js";
import type { Session } from "../session.js";
import { bucketOptions } from "./join-cluster.js";
import { shownIdentity } from "./shown-identity.js";

/** Prints hosts, shards and servers of the cluster of the settings. Errors as in `findCluster`. */
export async function showStatus({ config, output }: Session): Promise<void> {
  const logger = createLogger(config.log_level);
  const dependencies = { logger, clock: systemClock };
  const bus = await connectNatsBus(await natsOptions(config, "membus-cluster"), dependencies);
  try {
    const { bucket, identity } = await findCluster(bus.connection, bucketOptions(config));
    const status = await readStatus(bucket, identity, { clock: monotonicClock, logger });
    output.result(reportOf(identity, status), () => describe(identity.id, status));
  } finally {
    await bus.close();
  }
}

function reportOf(identity: ClusterIdentity, { hosts, shards, servers }: ClusterStatus) {
  return {
    ...shownIdentity(identity),
    hosts: hosts.map(({ renewedS, ...host }) => ({ ...host, renewed_s: renewedS })),
    shards,
    servers: servers.map(({ server, isCurrent }) => ({ server, is_current: isCurrent })),
  };
}

function describe(id: string, { hosts, shards, servers }: ClusterStatus): string {
  const hostLines = hosts.map(
    ({ host, state, shards, renewedS }) =>
      `  ${host}: ${state}, ${shards} shards, lease renewed ${renewedS.toFixed(1)} s ago`,
  );
  const shardLines = shards.map(
    ({ shard, host, epoch }) => `  ${shard}: ${host ?? "no owner"}, epoch ${epoch}`,
  );
  const serverLines = servers.map(
    ({ server, isCurrent }) => `  ${server}: ${isCurrent ? "current" : "down or late"}`,
  );
  const section = (title: string, lines: readonly string[]) => [
    `${title}:`,
    ...(lines.length === 0 ? ["  none"] : lines),
  ];
  return [
    `cluster ${id}`,
    ...section("hosts", hostLines),
    ...section("shards", shardLines),
    ...section("nats-servers of the bucket", serverLines),
  ].join("\n");
}
