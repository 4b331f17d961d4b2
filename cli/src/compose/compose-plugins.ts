import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileLogOptions } from "@membus/disk";
import { createMultilingualAnalyzer } from "@membus/languages";
import type { Analyzer, KitOptions } from "@membus/plugin-kit";
import {
  createLanceDbPlugin,
  createReadOnlyLanceDbPlugin,
  type LanceStorageOptions,
} from "@membus/plugin-lancedb";
import { createLruPlugin, type LruOptions } from "@membus/plugin-lru";
import { type MemoryPlugin, type MemoryTier, TIERS } from "@membus/protocol";
import { refusePartial } from "../backup/restore.js";
import type { Config } from "../config/config-schema.js";
import { heldQuotas } from "../config/quotas.js";
import { definedOnly } from "../flags/defined-only.js";
import { loadPlugin } from "./load-plugin.js";

type ByTier<T> = Partial<Record<MemoryTier, T>>;

export interface ComposedPlugins {
  readonly plugins: Readonly<ByTier<MemoryPlugin>>;
  /** Where each may write. */
  readonly dataDirectories: Readonly<ByTier<string>>;
}

/** What a start may do without. */
export interface AcceptedLoss {
  /** Records of a log that cannot be read. */
  readonly repair: boolean;
  /** Parts of a folder that are missing, or another folder's. */
  readonly acceptLoss: boolean;
}

export interface StartOptions extends AcceptedLoss {
  /** Data folders are served as they are. */
  readonly readOnly: boolean;
}

/**
 * The plugins that the settings name; else lru for the working tier, and lancedb for the other two. Creates their folders,
 * unless they are only read.
 * @throws {TypeError} as `loadPlugin` does, and for a data folder that is half restored.
 */
export async function composePlugins(config: Config, start: StartOptions): Promise<ComposedPlugins> {
  await refusePartial(config.data);
  const chosen = await choosePlugins(config, start);
  if (start.readOnly) return chosen;
  // Others on the machine have no business there; a folder that is there keeps the mode it has.
  for (const directory of Object.values(chosen.dataDirectories))
    await mkdir(directory, { recursive: true, mode: 0o700 });
  return chosen;
}

/** The same, and makes no folders. */
export async function choosePlugins(config: Config, start: StartOptions): Promise<ComposedPlugins> {
  const plugins: ByTier<MemoryPlugin> = {};
  const dataDirectories: ByTier<string> = {};
  const analyzer = createMultilingualAnalyzer();
  for (const tier of TIERS) {
    const settings = config.plugins?.[tier];
    if (settings === "none") continue;
    if (settings !== undefined && start.readOnly)
      throw new TypeError(`plugins.${tier}: --read-only is for the plugins that come with membus`);
    const plugin =
      settings === undefined
        ? ownPlugin(tier, config, { analyzer, ...start })
        : await loadPlugin(tier, settings);
    plugins[tier] = plugin;
    if (settings !== undefined) dataDirectories[tier] = join(config.data, folderOf(tier, plugin));
    // The working tier keeps nothing there but how far its revisions are: without a folder it is served all the same.
    else if (tier !== "working" || !start.readOnly) dataDirectories[tier] = join(config.data, tier);
  }
  return { plugins, dataDirectories };
}

interface OwnOptions extends StartOptions {
  /** One for all tiers. */
  readonly analyzer: Analyzer;
}

function ownPlugin(
  tier: MemoryTier,
  config: Config,
  { analyzer, repair, acceptLoss, readOnly }: OwnOptions,
): MemoryPlugin {
  if (tier === "working") {
    return createLruPlugin(config.lru as LruOptions | undefined, analyzer, heldQuotas(config.quotas));
  }
  const create = readOnly ? createReadOnlyLanceDbPlugin : createLanceDbPlugin;
  return create(
    definedOnly({
      ...{ analyzer, acceptLoss },
      kit: config.kit as KitOptions | undefined,
      quotas: config.quotas?.[tier],
      log: { ...(config.log as FileLogOptions | undefined), durability: config.durability, repair },
      storage: config.storage as LanceStorageOptions | undefined,
    }),
  );
}

/** A folder for each plugin that has served the tier: none finds files of another. */
function folderOf(tier: MemoryTier, { manifest }: MemoryPlugin): string {
  return `${tier}-${encodeURIComponent(manifest.name)}`;
}
