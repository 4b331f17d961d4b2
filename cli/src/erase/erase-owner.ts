import { directoryHolder } from "@membus/disk";
import type { OwnedCounts, Owner } from "@membus/plugin-kit";
import { type Logger, MemoryError, type MemoryPlugin, type MemoryTier, systemClock } from "@membus/protocol";
import type { ComposedPlugins } from "../compose/compose-plugins.js";

/** What was done in a tier. */
export interface TierErasure extends OwnedCounts {
  readonly tier: MemoryTier;
  readonly folder: string;
  /** Unix seconds: no byte is left there; absent where it was only counted. */
  readonly erased_at?: number;
}

export interface EraseParts extends ComposedPlugins {
  readonly logger: Logger;
  readonly dryRun: boolean;
  /** Hears of each tier before it is worked on. */
  onTier(tier: MemoryTier): void;
}

interface EraserPlugin extends MemoryPlugin {
  eraseOwner(owner: Owner, options: { readonly dryRun: boolean }): Promise<OwnedCounts>;
}

/**
 * Erases an owner from the folders of a host that is stopped, tier by tier.
 * @throws {MemoryError} `conflict` while a host has one of them open, `unsupported` for a plugin that cannot; then nothing
 * was done.
 */
export async function eraseOwner(owner: Owner, parts: EraseParts): Promise<TierErasure[]> {
  const tiers = await erasersOf(parts);
  const done: TierErasure[] = [];
  for (const { tier, folder, plugin } of tiers) {
    parts.onTier(tier);
    await plugin.open?.({
      ...{ tier, clock: systemClock, logger: parts.logger, dataDirectory: folder, notify() {} },
    });
    try {
      const { dryRun } = parts;
      const counts = await plugin.eraseOwner(owner, { dryRun });
      done.push({ tier, folder, ...counts, ...(!dryRun && { erased_at: systemClock.now() }) });
    } finally {
      await plugin.close?.();
    }
  }
  return done;
}

/** The tiers that keep entries on disk. */
async function erasersOf({ plugins, dataDirectories }: ComposedPlugins) {
  const tiers: { tier: MemoryTier; folder: string; plugin: EraserPlugin }[] = [];
  for (const [tier, folder] of Object.entries(dataDirectories) as [MemoryTier, string][]) {
    const plugin = plugins[tier]!;
    // Its folder tells how far revisions are, and nothing of an owner.
    if (isEraser(plugin) && plugin.manifest.features.durable === false) continue;
    if (!isEraser(plugin)) {
      const { name } = plugin.manifest;
      throw new MemoryError("unsupported", `${name}, which serves the ${tier} tier, cannot erase an owner`);
    }
    const holder = await directoryHolder(folder).catch(() => undefined);
    if (holder !== undefined) {
      const message = `process ${holder.pid} serves ${folder}: stop that host first, or let agents forget with --purge`;
      throw new MemoryError("conflict", message, { path: folder, pid: holder.pid });
    }
    tiers.push({ tier, folder, plugin });
  }
  return tiers;
}

function isEraser(plugin: MemoryPlugin): plugin is EraserPlugin {
  return typeof (plugin as Partial<EraserPlugin>).eraseOwner === "function";
}
