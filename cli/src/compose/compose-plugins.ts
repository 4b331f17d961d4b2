import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createMultilingualAnalyzer } from "@membus/languages";
import type { Analyzer } from "@membus/plugin-kit";
import { createLanceDbPlugin, createReadOnlyLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { type MemoryTier, TIERS } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { refusePartial } from "../backup/restore.js";
import { tierFolders } from "../backup/tier-folders.js";
import type { Config } from "../config/config-schema.js";
import { storageQuotas } from "../config/quotas.js";
import { definedOnly } from "../flags/defined-only.js";
import { loadPlugin } from "./load-plugin.js";

type ByTier<T> = Partial<Record<MemoryTier, T>>;

export interface ComposedPlugins {
  readonly plugins: Readonly<ByTier<MemoryPlugin>>;
  /** Folder of each plugin. */
  readonly dataDirectories: Readonly<ByTier<string>>;
}

/** Losses that a start accepts. */
export interface AcceptedLoss {
  /** Start without unreadable records of a log. */
  readonly repair: boolean;
  /** Start without parts of a folder that are missing or belong to another folder. */
  readonly acceptLoss: boolean;
}

export interface StartOptions extends AcceptedLoss {
  /** Serve the data folder without changing it. */
  readonly readOnly: boolean;
}

/**
 * Returns the configured plugins. The defaults are lru for the working tier and lancedb for the other two.
 * Creates their folders unless `readOnly` is set.
 * @throws {TypeError} as `loadPlugin` does, for a partly restored data folder, and with `readOnly` for a folder
 * that is not a data folder.
 */
export async function composePlugins(config: Config, start: StartOptions): Promise<ComposedPlugins> {
  await refusePartial(config.data);
  const chosen = await choosePlugins(config, start);
  if (start.readOnly) {
    await tierFolders(config.data);
    return chosen;
  }
  // New folders are private. Existing folders keep their mode.
  for (const directory of Object.values(chosen.dataDirectories))
    await mkdir(directory, { recursive: true, mode: 0o700 });
  return chosen;
}

/** Returns the configured plugins without creating folders. */
export async function choosePlugins(config: Config, start: StartOptions): Promise<ComposedPlugins> {
  const plugins: ByTier<MemoryPlugin> = {};
  const dataDirectories: ByTier<string> = {};
  const analyzer = createMultilingualAnalyzer();
  for (const tier of TIERS) {
    const settings = config.plugins[tier];
    if (settings === "none") continue;
    if (settings !== undefined && start.readOnly)
      throw new TypeError(`plugins.${tier}: --read-only works only with the built-in plugins`);
    const plugin =
      settings === undefined
        ? createBuiltInPlugin(tier, config, { analyzer, ...start })
        : await loadPlugin(tier, settings);
    plugins[tier] = plugin;
    if (settings !== undefined) dataDirectories[tier] = join(config.data, folderOf(tier, plugin));
    // The working tier stores only its revision counter there, so a read-only host runs without that folder.
    else if (tier !== "working" || !start.readOnly) dataDirectories[tier] = join(config.data, tier);
  }
  return { plugins, dataDirectories };
}

interface BuiltInPluginOptions extends StartOptions {
  /** Shared by all tiers. */
  readonly analyzer: Analyzer;
}

function createBuiltInPlugin(
  tier: MemoryTier,
  config: Config,
  { analyzer, repair, acceptLoss, readOnly }: BuiltInPluginOptions,
): MemoryPlugin {
  if (tier === "working") {
    return createLruPlugin(config.lru, analyzer, storageQuotas(config.quotas));
  }
  const create = readOnly ? createReadOnlyLanceDbPlugin : createLanceDbPlugin;
  return create(
    definedOnly({
      ...{ analyzer, acceptLoss },
      kit: config.kit,
      quotas: config.quotas?.[tier],
      log: { ...config.log, durability: config.durability, repair },
      storage: config.storage,
    }),
  );
}

/** Returns a folder name specific to the plugin, so that no plugin finds the files of another. */
function folderOf(tier: MemoryTier, { manifest }: MemoryPlugin): string {
  return `${tier}-${encodeURIComponent(manifest.name)}`;
}
