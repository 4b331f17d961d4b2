import { type ShardServing, shardOf } from "@membus/cluster";
import type { Owner } from "@membus/plugin-kit";
import { type Json, MemoryError } from "@membus/protocol";
import { type ControlReply, errorReply } from "../control/control-messages.js";
import { type ErasableTier, eraseArgs, eraseTiers } from "../erase/erase-tiers.js";
import { copyCommands } from "./copy-commands.js";
import type { ShardCommand } from "./shard-control.js";
import type { ShardedPlugins } from "./sharded-plugins.js";
import { verifyTiers } from "./verify-tiers.js";

/** State of a shard as its owner reports it, as JSON. */
export interface ShardReport {
  readonly epoch: number;
  readonly is_serving: boolean;
  /** Error of the last attempt to open the shard, or damage of the open shard. Null without one. */
  readonly problem: NonNullable<ControlReply["error"]> | null;
  /** Figures of each tier. Empty while the shard is not open. */
  readonly tiers: { readonly [tier: string]: { readonly [figure: string]: number | string } };
}

/** Returns the commands on `controlSubject` for the shards of this host. */
export function controlCommands(
  serving: ShardServing,
  plugins: ShardedPlugins,
): Readonly<Record<string, ShardCommand>> {
  return {
    status: async (shard) => ({ result: reportOf(shard, serving, plugins) as unknown as Json }),
    async "accept-loss"(shard, { problem }) {
      serving.acceptLoss(shard, String(problem));
      return { result: null };
    },
    verify: async (shard) => ({ result: await verifyTiers(shard, plugins) }),
  };
}

/** Returns the commands on `entriesSubject` for the shards of this host. */
export function entriesCommands(
  plugins: ShardedPlugins,
  shardCount: number,
  maxPayloadBytes: number,
): Readonly<Record<string, ShardCommand>> {
  return {
    ...copyCommands(plugins, maxPayloadBytes),
    async erase(shard, args) {
      const { owner, dryRun } = eraseArgs(args);
      if (shardOf(owner.tenant, shardCount) !== shard)
        throw new MemoryError("schema_violation", `tenant ${owner.tenant} is not in shard ${shard}`);
      const done = await eraseTiers(owner, erasableTiers(plugins), { dryRun, onTier() {} });
      return { result: done.map((one) => ({ ...one })) };
    },
  };
}

function reportOf(shard: number, serving: ShardServing, plugins: ShardedPlugins): ShardReport {
  const { epoch, isServing, problem } = serving.statusOf(shard)!;
  const tiers = Object.entries(plugins).flatMap(([tier, plugin]) => {
    const stats = plugin.statsOf(shard);
    return stats === undefined ? [] : [[tier, stats] as const];
  });
  const shown = problem === undefined ? null : errorReply(problem).error!;
  return { epoch, is_serving: isServing, problem: shown, tiers: Object.fromEntries(tiers) };
}

function erasableTiers(plugins: ShardedPlugins): ErasableTier[] {
  return Object.entries(plugins).map(([tier, sharded]) => ({
    tier: tier as ErasableTier["tier"],
    plugin: {
      announceErasure: (owner: Owner) => sharded.onShardOf(owner, (plugin) => plugin.announceErasure(owner)),
      eraseOwner: (owner: Owner, options) =>
        sharded.onShardOf(owner, (plugin) => plugin.eraseOwner(owner, options)),
    },
  }));
}
