import type { ErasedCounts, KitPlugin, Owner } from "@membus/plugin-kit";
import { isMemoryError, type Json, MemoryError, type MemoryTier, systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { unservedFolders } from "../backup/tier-folders.js";
import type { ComposedPlugins } from "../compose/compose-plugins.js";

/** Result of an erasure in one tier. */
export interface TierErasure extends ErasedCounts {
  readonly tier: MemoryTier;
  /** Absent in a cluster. */
  readonly folder?: string;
  /** Unix seconds when the last byte was erased. Absent after a dry run. */
  readonly erased_at?: number;
}

export interface ErasureOptions {
  readonly dryRun: boolean;
  /** Called before each tier is erased. */
  onTier(tier: MemoryTier): void;
}

type Eraser = Pick<KitPlugin, "eraseOwner" | "announceErasure">;

export interface ErasableTier {
  readonly tier: MemoryTier;
  readonly folder?: string;
  readonly plugin: Eraser;
}

export interface ErasableFolder extends ErasableTier {
  readonly folder: string;
  readonly plugin: MemoryPlugin & Eraser;
}

/** Reads the arguments of an erasure that an operator requests. @throws {MemoryError} `schema_violation` for others. */
export function eraseArgs({ owner, dry_run: dryRun }: { readonly [name: string]: Json }) {
  if (isOwner(owner) && typeof dryRun === "boolean") return { owner, dryRun };
  throw new MemoryError("schema_violation", "invalid args: expected {owner: {tenant, agent?}, dry_run}");
}

function isOwner(value: Json | undefined): value is { readonly tenant: string; readonly agent?: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { tenant, agent = "" } = value;
  return typeof tenant === "string" && typeof agent === "string";
}

/** Says that an erasure was cut short. A dry run and a refusal change nothing. */
export function asCutShort(error: unknown, dryRun: boolean): unknown {
  if (dryRun || !isMemoryError(error) || error.code === "unsupported") return error;
  const detail = { ...error.detail, reason: "erasure_cut_short" };
  return new MemoryError(error.code, error.message, detail, { cause: error });
}

/** @throws {MemoryError} `unsupported` for a plugin that cannot erase. */
export function erasableTiers({ plugins, dataDirectories }: ComposedPlugins): ErasableFolder[] {
  return (Object.entries(dataDirectories) as [MemoryTier, string][]).map(([tier, folder]) => {
    const plugin = plugins[tier]!;
    if (isErasable(plugin)) return { tier, folder, plugin };
    const { name } = plugin.manifest;
    throw new MemoryError("unsupported", `the plugin ${name} of the ${tier} tier cannot erase an owner`);
  });
}

/** @throws {MemoryError} `unsupported` naming a tier folder in which nothing would be erased. */
export async function refuseUnserved(
  data: string,
  { dataDirectories }: Pick<ComposedPlugins, "dataDirectories">,
): Promise<void> {
  const [folder] = await unservedFolders(data, dataDirectories);
  if (folder === undefined) return;
  const message = `nothing was erased, because no configured plugin serves ${folder}: configure its plugin, or move the folder away`;
  throw new MemoryError("unsupported", message, { path: folder });
}

/**
 * Erases an owner from open tiers, one after the other. The erasure is first announced in all tiers, so that
 * an interrupted one is completed later. A failure in one tier does not keep the others from being erased.
 * Throws the first error of `eraseOwner`.
 */
export async function eraseTiers(
  owner: Owner,
  tiers: readonly ErasableTier[],
  { dryRun, onTier }: ErasureOptions,
): Promise<TierErasure[]> {
  if (!dryRun) for (const { plugin } of tiers) await plugin.announceErasure(owner);
  const done: TierErasure[] = [];
  const failures: unknown[] = [];
  for (const { tier, folder, plugin } of tiers) {
    onTier(tier);
    try {
      const counts = await plugin.eraseOwner(owner, { dryRun });
      const place = folder === undefined ? {} : { folder };
      done.push({ tier, ...place, ...counts, ...(!dryRun && { erased_at: systemClock.now() }) });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return done;
}

function isErasable(plugin: MemoryPlugin): plugin is ErasableFolder["plugin"] {
  return typeof (plugin as Partial<Eraser>).announceErasure === "function";
}
