import type { KitPlugin, OwnedCounts, Owner } from "@membus/plugin-kit";
import { MemoryError, type MemoryPlugin, type MemoryTier, systemClock } from "@membus/protocol";
import type { ComposedPlugins } from "../compose/compose-plugins.js";

/** What was done in a tier. */
export interface TierErasure extends OwnedCounts {
  readonly tier: MemoryTier;
  readonly folder: string;
  /** Unix seconds: no byte is left there; absent where it was only counted. */
  readonly erased_at?: number;
}

export interface ErasureOptions {
  readonly dryRun: boolean;
  /** Hears of each tier before it is worked on. */
  onTier(tier: MemoryTier): void;
}

export interface ErasableTier {
  readonly tier: MemoryTier;
  readonly folder: string;
  readonly plugin: MemoryPlugin & Pick<KitPlugin, "eraseOwner" | "announceErasure">;
}

/** @throws {MemoryError} `unsupported` for a plugin that cannot. */
export function erasableTiers({ plugins, dataDirectories }: ComposedPlugins): ErasableTier[] {
  return (Object.entries(dataDirectories) as [MemoryTier, string][]).map(([tier, folder]) => {
    const plugin = plugins[tier]!;
    if (isErasable(plugin)) return { tier, folder, plugin };
    const { name } = plugin.manifest;
    throw new MemoryError("unsupported", `${name}, which serves the ${tier} tier, cannot erase an owner`);
  });
}

/** Erases an owner from tiers that are open, one after the other. What has begun goes on in all, whatever ends the process. */
export async function eraseTiers(
  owner: Owner,
  tiers: readonly ErasableTier[],
  { dryRun, onTier }: ErasureOptions,
): Promise<TierErasure[]> {
  if (!dryRun) for (const { plugin } of tiers) await plugin.announceErasure(owner);
  const done: TierErasure[] = [];
  for (const { tier, folder, plugin } of tiers) {
    onTier(tier);
    const counts = await plugin.eraseOwner(owner, { dryRun });
    done.push({ tier, folder, ...counts, ...(!dryRun && { erased_at: systemClock.now() }) });
  }
  return done;
}

function isErasable(plugin: MemoryPlugin): plugin is ErasableTier["plugin"] {
  return typeof (plugin as Partial<ErasableTier["plugin"]>).announceErasure === "function";
}
