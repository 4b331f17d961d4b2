import type { ShardedPlugin } from "@membus/cluster";
import { decodeRows, encodeRows, type KitPlugin, type Row } from "@membus/plugin-kit";
import { type Json, MemoryError, parseScopeId, scopeId } from "@membus/protocol";
import { pageLimits } from "../copy/entry-store.js";
import type { ShardCommand } from "./shard-control.js";
import type { ShardedPlugins } from "./sharded-plugins.js";

/** Returns the commands with which entries are copied into a shard and out of it. */
export function copyCommands(
  plugins: ShardedPlugins,
  maxPayloadBytes: number,
): Readonly<Record<string, ShardCommand>> {
  const limits = pageLimits(maxPayloadBytes);
  return {
    async scopes(shard, { tier, after = "" }) {
      const ids = await tierOf(plugins, tier).onShard(shard, scopeIds);
      const page = firstOf(ids.filter((id) => id > String(after)).sort(), limits.bytesMax);
      return { result: page };
    },
    async read(_shard, { tier, scope, after }) {
      const source = parseScopeId(String(scope));
      const { rows, next = null } = await tierOf(plugins, tier).onShardOf(source, (plugin) =>
        plugin.readRows(source, { ...limits, after: Number(after) }),
      );
      const bytes = encodeRows({ notes: "", rows: rows.map((row) => ({ scope: String(scope), row })) });
      return { result: { next }, bytes };
    },
    async write(_shard, { tier, scope }, bytes) {
      const target = parseScopeId(String(scope));
      const done = await tierOf(plugins, tier).onShardOf(target, (plugin) =>
        plugin.writeRows(target, rowsOf(bytes)),
      );
      return { result: { ...done } };
    },
    async "count-missing"(_shard, { tier, scope }, bytes) {
      const target = parseScopeId(String(scope));
      const count = await tierOf(plugins, tier).onShardOf(target, (plugin) =>
        plugin.countMissingRows(target, rowsOf(bytes)),
      );
      return { result: count };
    },
  };
}

function rowsOf(bytes: Uint8Array): Row[] {
  return decodeRows(bytes).rows.map(({ row }) => row);
}

function tierOf(plugins: ShardedPlugins, tier: Json | undefined): ShardedPlugin<KitPlugin> {
  const plugin = tier === "episodic" || tier === "semantic" ? plugins[tier] : undefined;
  if (plugin === undefined) throw new MemoryError("unsupported", `this host has no durable tier ${tier}`);
  return plugin;
}

async function scopeIds(plugin: KitPlugin): Promise<string[]> {
  const ids: string[] = [];
  for (const tenant of plugin.tenants())
    for (const scope of await plugin.scopesOf(tenant)) ids.push(scopeId(scope));
  return ids;
}

/** Returns the first ids that fit into a reply, and whether there are more. */
function firstOf(ids: readonly string[], lengthMax: number) {
  let length = 0;
  const first = ids.filter((id, index) => {
    length += id.length;
    return index === 0 || length <= lengthMax;
  });
  return { scopes: first, is_last: first.length === ids.length };
}
