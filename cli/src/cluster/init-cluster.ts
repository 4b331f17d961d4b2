import { connectNatsBus, type NatsBusOptions } from "@membus/bus";
import { createCluster, OwnershipOptionsSchema, type Routing } from "@membus/cluster";
import { TableBucket } from "@membus/plugin-lancedb/s3";
import { MemoryError, type OptionsOf, option, optionSet, parseOptions, systemClock } from "@membus/protocol";
import { asAuthHost } from "../auth/auth-host.js";
import { composeProviders } from "../compose/compose-host.js";
import { DEFAULT_CLUSTER_NAME } from "../flags/cluster-flags.js";
import { natsOptions } from "../flags/nats-options.js";
import { createLogger } from "../logger.js";
import type { Session } from "../session.js";
import { bucketOptions, checkRoutes } from "./join-cluster.js";
import { requireServerSettings, UNCHECKED } from "./server-settings.js";
import { shownIdentity } from "./shown-identity.js";
import { normalStore, tableBucketOptions } from "./table-store.js";

const { shardCount, leaseMs } = OwnershipOptionsSchema.shape;

const InitOptionsSchema = optionSet({
  store: option.text(),
  shardCount,
  leaseMs,
  replicas: option.integer(1, 5),
});

export interface InitOptions extends OptionsOf<typeof InitOptionsSchema> {}

/**
 * Creates the cluster of the settings after a check of its servers and its store.
 * @throws {TypeError} for a value out of range. Else as `checkRouting`, `requireServerSettings` and `createCluster`.
 */
export async function initCluster({ config: own, output }: Session, given: InitOptions): Promise<void> {
  const config = asAuthHost(own);
  const options = parseOptions(InitOptionsSchema, given);
  if (options.replicas % 2 === 0)
    throw new TypeError("replicas must be 1, 3 or 5: an even number adds no safety");
  const tables = TableBucket.connect(tableBucketOptions(options.store, process.env), systemClock);
  const logger = createLogger(config.log_level);
  const { embedder } = await composeProviders(config, process.env, logger);
  const nats = await natsOptions(config, "membus-cluster");
  const services = { logger, clock: systemClock };
  const bus = await connectNatsBus(nats, services);
  try {
    output.note("checking the nats-servers");
    await checkServers(nats, services, { prefix: config.prefix, shardCount: options.shardCount });
    const { monitoring = [] } = config.cluster ?? {};
    if (monitoring.length === 0) output.note(UNCHECKED);
    await requireServerSettings(monitoring, (problem) => {
      throw new MemoryError("unavailable", problem);
    });
    output.note("checking the object store");
    const bucket = bucketOptions(config);
    const { prefix } = config;
    const wanted = { ...options, prefix, store: normalStore(options.store), embedder: embedder?.id ?? null };
    const { identity, isNew } = await createCluster(bus.connection, bucket, wanted, tables);
    const flags =
      bucket.name === DEFAULT_CLUSTER_NAME
        ? "--cluster URLS"
        : `--cluster URLS --cluster-name ${bucket.name}`;
    const text = `cluster ${identity.id} ${isNew ? "is created" : "exists"}. Start hosts with \`membus up ${flags}\``;
    output.result({ ...shownIdentity(identity), is_new: isNew }, () => text);
  } finally {
    await bus.close();
  }
}

/** Checks the mapping of each named server. Errors as in `connectNatsBus` and `checkRoutes`. */
async function checkServers(
  nats: NatsBusOptions,
  services: Parameters<typeof connectNatsBus>[1],
  routing: Routing,
): Promise<void> {
  for (const servers of String(nats.servers).split(",")) {
    const bus = await connectNatsBus({ ...nats, servers }, services);
    try {
      await checkRoutes(bus, routing);
    } finally {
      await bus.close();
    }
  }
}
