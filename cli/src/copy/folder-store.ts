import { join } from "node:path";
import { createMultilingualAnalyzer } from "@membus/languages";
import { KIT_DEFAULTS, type KitPlugin } from "@membus/plugin-kit";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { systemClock } from "@membus/protocol";
import type { Embedder, Logger } from "@membus/protocol/plugin";
import type { Config } from "../config/config-schema.js";
import { definedOnly } from "../flags/defined-only.js";
import { DURABLE_TIERS, type DurableTier, type EntryStore, pageLimits } from "./entry-store.js";

export interface FolderOptions {
  readonly config: Config;
  readonly embedder: Embedder | undefined;
  readonly logger: Logger;
  /** Largest message that a page must fit into. */
  readonly maxPayloadBytes: number;
}

/**
 * Opens the built-in durable tiers of a data folder for `use`. Creates missing ones.
 * @throws {MemoryError} as a host does, for example `conflict` if a process uses the folder.
 */
export async function withFolderStore<T>(
  data: string,
  { config, embedder, logger, maxPayloadBytes }: FolderOptions,
  use: (store: EntryStore) => Promise<T>,
): Promise<T> {
  const plugins = new Map<DurableTier, KitPlugin>();
  const analyzer = createMultilingualAnalyzer();
  try {
    for (const tier of DURABLE_TIERS) {
      const plugin = createLanceDbPlugin(
        definedOnly({
          analyzer,
          kit: { ...config.kit, partitionRowsMax: KIT_DEFAULTS.partitionRowsMax },
          log: { ...config.log, durability: "process" },
          storage: config.storage,
        }),
      );
      const place = { tier, dataDirectory: join(data, tier) };
      plugins.set(tier, plugin);
      await plugin.open({ ...place, ...definedOnly({ embedder }), clock: systemClock, logger, notify() {} });
    }
    return await use(storeOf((tier) => plugins.get(tier)!, maxPayloadBytes));
  } finally {
    await Promise.all([...plugins.values()].map((plugin) => plugin.close()));
  }
}

function storeOf(pluginOf: (tier: DurableTier) => KitPlugin, maxPayloadBytes: number): EntryStore {
  const limits = pageLimits(maxPayloadBytes);
  return {
    isServed: false,
    async *scopes(tier) {
      const plugin = pluginOf(tier);
      for (const tenant of plugin.tenants()) yield* await plugin.scopesOf(tenant);
    },
    read: (tier, scope, after) => pluginOf(tier).readRows(scope, { ...limits, after }),
    write: (tier, scope, rows) => pluginOf(tier).writeRows(scope, rows),
    countMissing: (tier, scope, rows) => pluginOf(tier).countMissingRows(scope, rows),
  };
}
