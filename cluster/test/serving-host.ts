import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { natsBusFromConnection } from "@membus/bus";
import { createHost, type Host } from "@membus/host";
import { KitPlugin, type TierPlace } from "@membus/plugin-kit";
import { createLanceStorage } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { monotonicClock, silentLogger } from "@membus/protocol";
import type { PluginServices } from "@membus/protocol/plugin";
import { fileLog } from "../../plugins/disk/src/index.js";
import {
  type ClusterBucket,
  type OwnedShard,
  openKvPlace,
  ShardedBus,
  ShardedPlugin,
  ShardServing,
} from "../src/index.js";
import type { ClusterFixture } from "./cluster-fixture.js";

export const SHARD_COUNT = 8;

export interface ServingParts {
  readonly name: string;
  readonly bucket: ClusterBucket;
  /** Holds the log and the tables of each shard. All hosts of a test share it. */
  readonly directory: string;
  /** Runs before a durable tier of a shard is opened. */
  readonly beforeOpen?: (owned: OwnedShard) => Promise<void>;
}

/** A host of a cluster in this process, with the working and the episodic tier. */
export class ServingHost {
  readonly tiers: { readonly working: ShardedPlugin; readonly episodic: ShardedPlugin };
  readonly #host: Host;
  readonly #serving: ShardServing;

  private constructor(host: Host, serving: ShardServing, tiers: ServingHost["tiers"]) {
    this.#host = host;
    this.#serving = serving;
    this.tiers = tiers;
  }

  static async start(fixture: ClusterFixture, parts: ServingParts): Promise<ServingHost> {
    const bus = new ShardedBus(natsBusFromConnection(await fixture.connect(), {}));
    const working = new ShardedPlugin({
      shardCount: SHARD_COUNT,
      manifestOf: (services) => createLruPlugin().manifestFor(services),
      createPlugin: () => createLruPlugin(),
    });
    const episodic = new ShardedPlugin({
      shardCount: SHARD_COUNT,
      manifestOf: (services) => episodicPlugin(parts).manifestFor(services),
      createPlugin: (owned) => episodicPlugin(parts, owned),
    });
    const tiers = { working, episodic };
    const host = createHost({ bus, plugins: tiers, cluster: "test", logger: silentLogger });
    await host.start();
    const services = { bucket: parts.bucket, clock: monotonicClock, logger: silentLogger };
    const options = { host: parts.name, shardCount: SHARD_COUNT, leaseMs: 60_000, pollMs: 20 };
    return new ServingHost(
      host,
      new ShardServing(options, services, { bus, tiers: [working, episodic] }),
      tiers,
    );
  }

  get shardCount(): number {
    return Number(this.tiers.episodic.stats().shards);
  }

  /** Hands the shards over, then stops the host. */
  async stop(): Promise<void> {
    await this.#serving.stop();
    await this.#host.stop();
  }
}

function episodicPlugin(parts: ServingParts, owned?: OwnedShard): KitPlugin {
  const openPlace = async (services: PluginServices) => {
    await parts.beforeOpen?.(owned!);
    return placeOf(parts, owned!, services);
  };
  return new KitPlugin({ name: "shards", version: "0.1.0", openPlace });
}

async function placeOf(
  { bucket, directory: parent }: ServingParts,
  { shard, hold }: OwnedShard,
  services: PluginServices,
): Promise<TierPlace> {
  const directory = join(parent, String(shard));
  await mkdir(directory, { recursive: true });
  const { tier, logger, clock } = services;
  const context = { directory, dimensions: 1, embedder: "", clock, logger };
  return openKvPlace(
    { shard, tier, hold, bucket, clock: monotonicClock, logger },
    {
      createStorage: (keptContentId) => createLanceStorage({ ...context, keptContentId }),
      openLog: (recovery) => fileLog()(directory, recovery, services),
    },
  );
}
