import { connectNatsBus, type NatsBus } from "@membus/bus";
import { type ClusterBucket, type ClusterIdentity, findCluster } from "@membus/cluster";
import { systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { asAuthOperator } from "../auth/auth-host.js";
import type { Config } from "../config/config-schema.js";
import { natsOptions } from "../flags/nats-options.js";
import { createLogger } from "../logger.js";
import { bucketOptions } from "./join-cluster.js";

/** A cluster to which an operator's command is connected. */
export interface ClusterAccess {
  readonly bus: NatsBus;
  readonly bucket: ClusterBucket;
  readonly identity: ClusterIdentity;
  readonly logger: Logger;
}

/**
 * Connects to the cluster of the settings and closes the connection after `use`. Errors as in `findCluster`.
 * @param asUser chooses the key of `nats.auth`. Commands that read or erase entries need the host's.
 */
export async function withCluster<T>(
  given: Config,
  use: (access: ClusterAccess) => Promise<T>,
  asUser: (config: Config) => Config = asAuthOperator,
): Promise<T> {
  const config = asUser(given);
  const logger = createLogger(config.log_level);
  const options = await natsOptions(config, "membus-cluster");
  const bus = await connectNatsBus(options, { logger, clock: systemClock });
  try {
    const { bucket, identity } = await findCluster(bus.connection, bucketOptions(config));
    return await use({ bus, bucket, identity, logger });
  } finally {
    await bus.close();
  }
}
