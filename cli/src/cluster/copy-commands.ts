import type { ShardedPlugin } from "@membus/cluster";
import { decodeRows, encodeRows, type KitPlugin } from "@membus/plugin-kit";
import { type Json, MemoryError, parseScopeId, scopeId } from "@membus/protocol";
import { PAGE } from "../copy/entry-store.js";
import type { ShardCommand } from "./shard-control.js";
import type { ShardedPlugins } from "./sharded-plugins.js";

/** Limit of the scope ids in one reply. UTF-16 units. */
const SCOPES_LENGTH_MAX = 256 * 1_024;

/** Returns the commands with which entries are copied into a shard and out of it. */
export function copyCommands(plugins: ShardedPlugins): Readonly<Record<string, ShardCommand>> {
  return {
    async scopes(shard, { tier, after = "" }) {
      const ids = await tierOf(plugins, tier).onShard(shard, scopeIds);
      const page = firstOf(ids.filter((id) => id > String(after)).sort());
      return { result: page };
    },
    async read(_shard, { tier, scope, after }) {
      const { tenant, ...others } = parseScopeId(String(scope));
      const { rows, next = null } = await tierOf(plugins, tier).onShardOf({ tenant }, (plugin) =>
        plugin.readRows({ tenant, ...others }, { ...PAGE, after: Number(after) }),
      );
      const bytes = encodeRows({ notes: "", rows: rows.map((row) => ({ scope: String(scope), row })) });
      return { result: { next }, bytes };
    },
    async write(_shard, { tier, scope }, bytes) {
      const target = parseScopeId(String(scope));
      const rows = decodeRows(bytes).rows.map(({ row }) => row);
      const done = await tierOf(plugins, tier).onShardOf(target, (plugin) => plugin.writeRows(target, rows));
      return { result: { ...done } };
    },
  };
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
function firstOf(ids: readonly string[]) {
  let length = 0;
  const first = ids.filter((id, index) => {
    length += id.length;
    return index === 0 || length <= SCOPES_LENGTH_MAX;
  });
  return { scopes: first, is_last: first.length === ids.length };
}
