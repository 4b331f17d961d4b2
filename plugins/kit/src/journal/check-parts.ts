import { MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { FolderManifest, RecordedPart } from "../place/index.js";
import type { DamagedPart, StoragePart, StorageParts } from "../storage.js";

/** Losses that a message names. The detail names all. */
const NAMED_MAX = 20;

interface PartLoss {
  readonly name: string;
  readonly reason: string;
  /** Whether the part belongs to another folder. */
  readonly isForeign: boolean;
  readonly rowCount: number;
}

/**
 * Compares the parts of an unopened storage with the manifest.
 * @throws {MemoryError} `runtime_error` naming the parts that are missing, outdated or from another folder.
 * With `acceptLoss` parts from another folder are set aside, and outdated ones are used as they are.
 * @returns the parts that exist
 */
export async function checkParts(
  parts: StorageParts | undefined,
  manifest: FolderManifest,
  { acceptLoss, logger }: { readonly acceptLoss: boolean; readonly logger: Logger },
): Promise<readonly StoragePart[]> {
  if (parts === undefined) return [];
  const present = await parts.list();
  if (manifest.isLost) adoptOwner(present, manifest);
  const { id, parts: kept } = manifest.facts;
  const losses = findLosses(present, kept, id);
  if (losses.length === 0) return present;
  if (!acceptLoss) throw lossError(losses);
  const copies: string[] = [];
  for (const { name, isForeign } of losses) if (isForeign) copies.push(await parts.setAside(name));
  const lost = new Set(losses.map(({ name }) => name));
  const older = present.filter(({ name, owner }) => lost.has(name) && owner === id);
  await manifest.update({
    parts: [...kept.filter(({ name }) => !lost.has(name)), ...older.map(recordedPart)],
  });
  logger.warn({ losses, copies }, "opened the folder without its missing parts");
  return present;
}

/** Updates the recorded parts with the changes of a flush. */
export function mergeParts(
  kept: readonly RecordedPart[],
  changed: readonly StoragePart[],
): readonly RecordedPart[] {
  if (changed.length === 0) return kept;
  const byName = new Map(kept.map((part) => [part.name, part]));
  for (const part of changed) byName.set(part.name, recordedPart(part));
  return [...byName.values()];
}

function recordedPart({ name, version, rowCount, contentId }: StoragePart): RecordedPart {
  return { name, version, rowCount, contentId };
}

/** Adopts the folder id that all parts agree on, if the manifest is lost. */
function adoptOwner(present: readonly StoragePart[], manifest: FolderManifest): void {
  const owners = new Set(present.flatMap(({ owner }) => owner ?? []));
  const [owner] = owners;
  if (owner !== undefined && owners.size === 1) manifest.adopt(owner);
}

/** Returns the parts that are missing, outdated or from another folder. */
export function findLosses(
  present: readonly StoragePart[],
  kept: readonly RecordedPart[],
  id: string,
): PartLoss[] {
  const byName = new Map(present.map((part) => [part.name, part]));
  const known = new Map(kept.map((part) => [part.name, part]));
  const missing = kept.filter(({ name }) => !byName.has(name));
  const losses: PartLoss[] = missing.map(({ name, rowCount }) => {
    return { name, reason: "is missing", isForeign: false, rowCount };
  });
  for (const part of present) {
    const { name, owner } = part;
    const before = known.get(name);
    const rowCount = before?.rowCount ?? 0;
    if (owner !== undefined && owner !== id) {
      losses.push({ name, reason: "belongs to another folder", isForeign: true, rowCount });
      continue;
    }
    const reason = before && staleReason(part, before);
    if (reason !== undefined) losses.push({ name, reason, isForeign: false, rowCount });
  }
  return losses;
}

/**
 * Returns how a part differs from its recorded state. A part that was written after the manifest, for example
 * before a crash, refers to the recorded state and does not count as different.
 */
function staleReason(
  { version, rowCount, contentId, keptContentId }: StoragePart,
  before: RecordedPart,
): string | undefined {
  // The part was written after the manifest. Its version can only be lower if it was opened with accepted
  // loss.
  if (before.contentId !== undefined && before.contentId === keptContentId) return undefined;
  if (version < before.version) return `has version ${version}, expected ${before.version}`;
  if (contentId === undefined || before.contentId === undefined) return undefined;
  if (before.contentId === contentId) return undefined;
  return `is from another time: it has ${rowCount} entries, expected ${before.rowCount}`;
}

/** Returns the error that names damaged parts, with their entries at the last flush. Undefined without damage. */
export function damageError(
  damaged: readonly DamagedPart[],
  { facts: { parts: kept, tier } }: FolderManifest,
): MemoryError | undefined {
  if (damaged.length === 0) return undefined;
  const rowCounts = new Map(kept.map(({ name, rowCount }) => [name, rowCount]));
  const losses = damaged.map(({ name, reason }) => {
    return { name, reason: `is damaged, ${reason}`, rowCount: rowCounts.get(name) ?? 0 };
  });
  const message = `${describe(`tier ${tier} is damaged`, losses)} Restore the files, or accept the loss`;
  return new MemoryError("unavailable", message, lossDetail("storage_damaged", losses));
}

type Loss = Omit<PartLoss, "isForeign">;

function lossError(losses: readonly Loss[]): MemoryError {
  const message =
    `${describe("the folder is incomplete", losses)} ` +
    "Restore the missing files, or open the folder without them using --accept-loss";
  return new MemoryError("runtime_error", message, lossDetail("folder_incomplete", losses));
}

function describe(state: string, losses: readonly Loss[]): string {
  const each = losses
    .slice(0, NAMED_MAX)
    .map(({ name, reason, rowCount }) => `${name} ${reason} (${entries(rowCount)})`);
  if (losses.length > NAMED_MAX) each.push(`and ${losses.length - NAMED_MAX} more`);
  const rowCount = losses.reduce((sum, loss) => sum + loss.rowCount, 0);
  return `${state}: ${each.join("; ")}. Up to ${entries(rowCount)} would be lost.`;
}

function entries(count: number): string {
  return count === 1 ? "1 entry" : `${count} entries`;
}

function lossDetail(reason: string, losses: readonly Loss[]) {
  return { reason, parts: losses.map(({ name }) => name).join(","), remedy: "--accept-loss" };
}
