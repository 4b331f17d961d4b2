import { join } from "node:path";
import { createMultilingualAnalyzer } from "@membus/languages";
import type { KitPlugin } from "@membus/plugin-kit";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { systemClock } from "@membus/protocol";
import type { Embedder, Logger } from "@membus/protocol/plugin";
import type { Config } from "../config/config-schema.js";
import { definedOnly } from "../flags/defined-only.js";
import { DURABLE_TIERS, type DurableTier, type EntryStore, PAGE } from "./entry-store.js";

export interface FolderOptions {
  readonly config: Config;
  readonly embedder: Embedder | undefined;
  readonly logger: Logger;
}

/**
 * Opens the built-in durable tiers of a data folder for `use`. Creates missing ones.
 * @throws {MemoryError} as a host does, for example `conflict` if a process uses the folder.
 */
export async function withFolderStore<T>(
  data: string,
  { config, embedder, logger }: FolderOptions,
  use: (store: EntryStore) => Promise<T>,
): Promise<T> {
  const plugins = new Map<DurableTier, KitPlugin>();
  const analyzer = createMultilingualAnalyzer();
  try {
    for (const tier of DURABLE_TIERS) {
      const plugin = createLanceDbPlugin(
        definedOnly({
          analyzer,
          kit: config.kit,
          log: { ...config.log, durability: "process" },
          storage: config.storage,
        }),
      );
      const place = { tier, dataDirectory: join(data, tier) };
      await plugin.open({ ...place, ...definedOnly({ embedder }), clock: systemClock, logger, notify() {} });
      plugins.set(tier, plugin);
    }
    return await use(storeOf((tier) => plugins.get(tier)!));
  } finally {
    for (const plugin of plugins.values()) await plugin.close();
  }
}

function storeOf(pluginOf: (tier: DurableTier) => KitPlugin): EntryStore {
  return {
    async *scopes(tier) {
      const plugin = pluginOf(tier);
      for (const tenant of plugin.tenants()) yield* await plugin.scopesOf(tenant);
    },
    read: (tier, scope, after) => pluginOf(tier).readRows(scope, { ...PAGE, after }),
    write: (tier, scope, rows) => pluginOf(tier).writeRows(scope, rows),
  };
}
