import { MemoryError, type Scope, type ScopeSelector, withTimeout } from "@membus/protocol";
import type {
  Logger,
  MemoryPlugin,
  Operation,
  PluginAgentsRequest,
  PluginAgentsResult,
  PluginErasureResult,
  PluginForgetRequest,
  PluginForgetResult,
  PluginListRequest,
  PluginListResult,
  PluginManifest,
  PluginRetrieveRequest,
  PluginRetrieveResult,
  PluginServices,
  PluginStatusResult,
  PluginStoreRequest,
  PluginStoreResult,
} from "@membus/protocol/plugin";
import { shardMoved } from "../ownership/index.js";
import type { ShardHold } from "../place/index.js";
import { shardOf } from "../routing/index.js";
import type { OwnedShard } from "./owned-shard.js";
import { shardLogger } from "./shard-logger.js";
import { sumStats } from "./sum-stats.js";

/** Plugin of a shard. */
export interface ShardPlugin extends MemoryPlugin {
  /** Writes logged rows to the tables. Its failure loses nothing. */
  flush?(): Promise<void>;
  /** Damage that an operator must repair or accept, with the remedy and the parts in its detail. Undefined without damage. */
  readonly damage?: MemoryError | undefined;
}

export interface ShardedTier<P extends ShardPlugin = ShardPlugin> {
  readonly shardCount: number;
  /** Manifest of the plugins of all shards. `services` is absent before `open`. */
  manifestOf(services: PluginServices | undefined): PluginManifest;
  /** Creates the plugin of a shard in one epoch. */
  createPlugin(owned: OwnedShard): P;
}

interface OpenShard<P extends ShardPlugin> {
  readonly hold: ShardHold;
  readonly plugin: P;
  readonly logger: Logger;
  /** Calls that have not ended. */
  readonly running: Set<Promise<unknown>>;
  /** Whether its last maintenance has not ended. */
  isInMaintenance: boolean;
}

/** Time after which the maintenance of a shard no longer delays the others. Its log may wait for nats-servers without end. */
const MAINTENANCE_TURN_MS = 30_000;

type Caller = Pick<Operation, "tenant" | "agent" | "id">;

/**
 * One tier of all shards that this host owns. A call goes to the plugin of its tenant's shard. Before the call and
 * before its result is used, the host must own the shard, so that a lost shard answers nothing.
 */
export class ShardedPlugin<P extends ShardPlugin = ShardPlugin> implements MemoryPlugin {
  readonly #tier: ShardedTier<P>;
  readonly #shards = new Map<number, OpenShard<P>>();
  #services: PluginServices | undefined;

  constructor(tier: ShardedTier<P>) {
    this.#tier = tier;
  }

  get manifest(): PluginManifest {
    return this.#tier.manifestOf(this.#services);
  }

  async open(services: PluginServices): Promise<void> {
    this.#services = services;
  }

  /**
   * Opens the plugin of a shard, which is served from then on. Errors as in the plugin's `open`.
   * @throws {MemoryError} `unavailable` if the shard is lost before it is open.
   */
  async openShard(owned: OwnedShard): Promise<void> {
    const { shard, hold } = owned;
    const services = this.#openServices;
    const plugin = this.#tier.createPlugin(owned);
    const logger = shardLogger(services.logger, hold);
    try {
      await plugin.open?.({ ...services, logger });
      await hold.untilOwned();
    } catch (error) {
      await plugin.close?.();
      throw error;
    }
    this.#shards.set(shard, { hold, plugin, logger, running: new Set(), isInMaintenance: false });
  }

  /** Leaves little for `closeShard` to write. The shard is served. Errors as in the plugin's `flush`. */
  async flushShard(shard: number): Promise<void> {
    await this.#shards.get(shard)?.plugin.flush?.();
  }

  /**
   * Closes the plugin of a shard after its last call, if it is open. A lost shard cannot write its last rows, which
   * its next owner reads from the log. Errors of other shards as in the plugin's `close`.
   */
  async closeShard(shard: number): Promise<void> {
    const open = this.#shards.get(shard);
    if (open === undefined) return;
    this.#shards.delete(shard);
    await Promise.allSettled(open.running);
    try {
      await open.plugin.close?.();
    } catch (error) {
      if (!open.hold.isLost) throw error;
      open.logger.info({ err: error, shard }, "closed a lost shard, its next owner does the rest");
    }
  }

  onStore(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult> {
    return this.onShardOf(scope, (plugin) => plugin.onStore(scope, request));
  }

  onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<PluginRetrieveResult> {
    return this.onShardOf(selector, (plugin) => plugin.onRetrieve(selector, request));
  }

  onForget(selector: ScopeSelector, request: PluginForgetRequest): Promise<PluginForgetResult> {
    return this.onShardOf(selector, (plugin) => plugin.onForget(selector, request));
  }

  onStatus(op: Caller): Promise<PluginStatusResult | undefined> {
    return this.onShardOf(op, (plugin) => plugin.onStatus(op));
  }

  onErasure(op: Caller): Promise<PluginErasureResult | undefined> {
    return this.onShardOf(op, async (plugin) => plugin.onErasure?.(op));
  }

  onList(selector: ScopeSelector, request: PluginListRequest): Promise<PluginListResult> {
    return this.onShardOf(selector, (plugin) => plugin.onList!(selector, request));
  }

  onAgents(request: PluginAgentsRequest): Promise<PluginAgentsResult> {
    return this.onShardOf(request, (plugin) => plugin.onAgents!(request));
  }

  /**
   * Maintains one shard after another, and goes on after 30 seconds with the next one. Shards that are lost or closed before
   * their turn are left out. One with an earlier maintenance that has not ended is not maintained again. A failure does not keep
   * the others from being maintained. Throws the first failure of a shard that the host still owns.
   */
  async maintain(): Promise<void> {
    const failures: unknown[] = [];
    let isOver = false;
    for (const [shard, open] of [...this.#shards]) {
      if (!open.hold.isOwned || this.#shards.get(shard) !== open) continue;
      if (!open.isInMaintenance) {
        const turn = maintainShard(open).catch((error: unknown) => {
          if (isOver) open.logger.warn({ err: error, shard }, "maintenance of a shard failed");
          else if (open.hold.isOwned) failures.push(error);
        });
        await withTimeout(this.#openServices.clock, MAINTENANCE_TURN_MS, turn);
      }
      if (open.isInMaintenance && open.hold.isOwned) failures.push(lateMaintenance(shard));
    }
    isOver = true;
    if (failures.length > 0) throw failures[0];
  }

  /** Returns the figures of one shard. Undefined if it is not open here. */
  statsOf(shard: number): Readonly<Record<string, number | string>> | undefined {
    return this.#shards.get(shard)?.plugin.stats?.();
  }

  /** Returns the damage of one shard. Undefined without damage, or if the shard is not open here. */
  damageOf(shard: number): MemoryError | undefined {
    return this.#shards.get(shard)?.plugin.damage;
  }

  /** Adds the figures of the shards up that the host owns. `shard_count` is the number of shards of the cluster. */
  stats(): Readonly<Record<string, number | string>> {
    const owned = [...this.#shards.values()].filter(({ hold }) => hold.isOwned);
    const all = owned.map(({ plugin }) => plugin.stats?.() ?? {});
    return { ...sumStats(all), shards: all.length, shard_count: this.#tier.shardCount };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shards.keys()].map((shard) => this.closeShard(shard)));
  }

  get #openServices(): PluginServices {
    if (this.#services === undefined) throw new TypeError("the tier is not open");
    return this.#services;
  }

  /**
   * Calls the plugin of the tenant's shard.
   * @throws {MemoryError} `unavailable` unless the shard is open and owned during the whole call. Else as in the call.
   */
  async onShardOf<T>({ tenant }: { readonly tenant: string }, call: (plugin: P) => Promise<T>): Promise<T> {
    return this.onShard(shardOf(tenant, this.#tier.shardCount), call);
  }

  /** Calls the plugin of a shard. Errors as in `onShardOf`. */
  async onShard<T>(shard: number, call: (plugin: P) => Promise<T>): Promise<T> {
    const open = this.#shards.get(shard);
    if (open === undefined) throw shardMoved(`shard ${shard} is not open on this host, send it again`);
    return run(open, call);
  }
}

function lateMaintenance(shard: number): MemoryError {
  const waitedS = MAINTENANCE_TURN_MS / 1_000;
  return new MemoryError(
    "unavailable",
    `maintenance of shard ${shard} has not ended after ${waitedS} seconds`,
  );
}

async function maintainShard<P extends ShardPlugin>(open: OpenShard<P>): Promise<void> {
  open.isInMaintenance = true;
  try {
    await run(open, async (plugin) => plugin.maintain?.());
  } finally {
    open.isInMaintenance = false;
  }
}

/** @throws {MemoryError} `unavailable` unless the shard is owned during the whole call. Errors as in the call. */
async function run<P extends ShardPlugin, T>(
  { hold, plugin, running }: OpenShard<P>,
  call: (plugin: P) => Promise<T>,
): Promise<T> {
  hold.mustOwn();
  const result = call(plugin);
  running.add(result);
  try {
    return await result;
  } finally {
    running.delete(result);
    hold.mustOwn();
  }
}
