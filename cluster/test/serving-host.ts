import { natsBusFromConnection } from "@membus/bus";
import { createHost, type Host } from "@membus/host";
import { KitPlugin } from "@membus/plugin-kit";
import { createLruPlugin } from "@membus/plugin-lru";
import { type MonotonicClock, monotonicClock, silentLogger } from "@membus/protocol";
import type { PluginServices } from "@membus/protocol/plugin";
import type { NatsConnection } from "@nats-io/transport-node";
import {
  accountSpace,
  type ClusterStores,
  type OwnedShard,
  openShardPlace,
  ShardedBus,
  ShardedPlugin,
  ShardServing,
  SpaceWatch,
} from "../src/index.js";

export const SHARD_COUNT = 8;
/** Milliseconds between two polls of the cluster's records. */
export const POLL_MS = 20;
/** As in `membus up --cluster`. */
const FLUSH_IDLE_MS = 60_000;

interface HostParts extends ServingParts {
  readonly space: SpaceWatch;
}

export interface ServingParts extends Omit<ClusterStores, "clock" | "space"> {
  readonly name: string;
  readonly leaseMs: number;
  readonly flushIdleMs?: number;
  /** Time limit of erasures. Default: the kit's. */
  readonly eraseWithinS?: number;
  /** Clock of polls and leases. Default: the machine's. */
  readonly clock?: MonotonicClock;
  /** Runs before the plugin of the working tier of a shard is closed. */
  readonly beforeClose?: () => Promise<void>;
  /** Runs before a durable tier of a shard is opened. */
  readonly beforeOpen?: (owned: OwnedShard) => Promise<void>;
}

/** A host of a cluster in this process, with the working and the episodic tier. */
export class ServingHost {
  readonly #connection: NatsConnection;
  readonly #episodic: ShardedPlugin;
  readonly #host: Host;
  readonly serving: ShardServing;

  private constructor(parts: ServingParts, bus: ShardedBus, host: Host, tiers: readonly ShardedPlugin[]) {
    this.#connection = parts.connection;
    this.#episodic = tiers[1]!;
    this.#host = host;
    const services = { bucket: parts.bucket, clock: parts.clock ?? monotonicClock, logger: silentLogger };
    const options = { host: parts.name, shardCount: SHARD_COUNT, leaseMs: parts.leaseMs, pollMs: POLL_MS };
    this.serving = new ShardServing(options, services, { bus, tiers });
  }

  static async start(given: ServingParts): Promise<ServingHost> {
    const parts = { ...given, space: spaceWatch(given) };
    const bus = new ShardedBus(natsBusFromConnection(parts.connection, {}));
    const working = new ShardedPlugin({
      shardCount: SHARD_COUNT,
      manifestOf: (services) => createLruPlugin().manifestFor(services),
      createPlugin: () => workingPlugin(parts),
    });
    const episodic = new ShardedPlugin({
      shardCount: SHARD_COUNT,
      manifestOf: (services) => episodicPlugin(parts).manifestFor(services),
      createPlugin: (owned) => episodicPlugin(parts, owned),
    });
    const plugins = { working, episodic };
    const host = createHost({ bus, plugins, cluster: parts.cluster, logger: silentLogger });
    await host.start();
    return new ServingHost(parts, bus, host, [working, episodic]);
  }

  get shardCount(): number {
    return Number(this.#episodic.stats().shards);
  }

  /** Closes the host's connection to NATS. The host itself goes on. */
  async cut(): Promise<void> {
    await this.#connection.close();
  }

  /** Hands the shards over, then stops the host. */
  async stop(): Promise<void> {
    await this.serving.stop();
    await this.#host.stop();
  }
}

function workingPlugin({ beforeClose }: ServingParts): KitPlugin {
  const plugin = createLruPlugin();
  const close = plugin.close.bind(plugin);
  plugin.close = async () => {
    await close();
    await beforeClose?.();
  };
  return plugin;
}

function spaceWatch({ connection, log }: ServingParts): SpaceWatch {
  const replicas = log?.replicas ?? 3;
  const read = async () => [await accountSpace(connection, { replicas, requestTimeoutMs: 1_000 })];
  return new SpaceWatch({ clock: monotonicClock, logger: silentLogger, replicas, read });
}

function episodicPlugin(parts: HostParts, owned?: OwnedShard): KitPlugin {
  const openPlace = async (services: PluginServices) => {
    await parts.beforeOpen?.(owned!);
    return openShardPlace({ clock: monotonicClock, ...parts }, owned!, services);
  };
  const acceptLoss = owned?.acceptLoss ?? false;
  const { flushIdleMs = FLUSH_IDLE_MS, eraseWithinS } = parts;
  const limits = eraseWithinS === undefined ? {} : { eraseWithinS };
  const options = { flushIdleMs, flushAtMaintenance: false, ...limits };
  return new KitPlugin({ name: "shards", version: "0.1.0", openPlace, acceptLoss, options });
}
