import { type Logger, MemoryError } from "@membus/protocol";
import type { StoragePart, StorageParts } from "../storage.js";
import type { FolderManifest, KeptPart } from "./folder-manifest.js";

interface PartLoss {
  readonly name: string;
  readonly reason: string;
  /** Something else stands in its place. */
  readonly isForeign: boolean;
  readonly rowCount: number;
}

/**
 * Compares the parts of a storage that is not open yet with what the manifest says.
 * @throws {MemoryError} `runtime_error` naming the parts that are missing, of another time, or another folder's, unless
 * `acceptLoss`: then these are set aside, and the others taken as they are.
 * @returns the parts that were there.
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
  await manifest.update({ parts: [...kept.filter(({ name }) => !lost.has(name)), ...older.map(keptPart)] });
  logger.warn({ losses, copies }, "opened a folder without what it has lost");
  return present;
}

/** What a flush has changed takes the place of what was known. */
export function mergeParts(kept: readonly KeptPart[], changed: readonly StoragePart[]): readonly KeptPart[] {
  if (changed.length === 0) return kept;
  const byName = new Map(kept.map((part) => [part.name, part]));
  for (const part of changed) byName.set(part.name, keptPart(part));
  return [...byName.values()];
}

function keptPart({ name, version, rowCount, contentId }: StoragePart): KeptPart {
  return { name, version, rowCount, contentId };
}

/** Without the file that says it, a folder's id is what all its parts say. */
function adoptOwner(present: readonly StoragePart[], manifest: FolderManifest): void {
  const owners = new Set(present.flatMap(({ owner }) => owner ?? []));
  const [owner] = owners;
  if (owner !== undefined && owners.size === 1) manifest.adopt(owner);
}

/** What is missing, of another time, or another folder's. */
export function findLosses(
  present: readonly StoragePart[],
  kept: readonly KeptPart[],
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
      losses.push({ name, reason: "is of another folder", isForeign: true, rowCount });
      continue;
    }
    const reason = before && otherTime(part, before);
    if (reason !== undefined) losses.push({ name, reason, isForeign: false, rowCount });
  }
  return losses;
}

/**
 * How a part is not the one that was kept. One whose rows have changed since, as when a crash came before the folder was
 * written, knows what was kept.
 */
function otherTime(
  { version, rowCount, contentId, keptContentId }: StoragePart,
  before: KeptPart,
): string | undefined {
  // It was written after the folder: its version is lower only where it was opened without what it had lost.
  if (before.contentId !== undefined && before.contentId === keptContentId) return undefined;
  if (version < before.version) return `is of version ${version}, it was of ${before.version}`;
  if (contentId === undefined || before.contentId === undefined) return undefined;
  if (before.contentId === contentId) return undefined;
  return `is of another time: it has ${rowCount} entries, it had ${before.rowCount}`;
}

function lossError(losses: readonly PartLoss[]): MemoryError {
  const what = losses
    .map(({ name, reason, rowCount }) => `${name} ${reason} (${rowCount} entries)`)
    .join("; ");
  const rowCount = losses.reduce((sum, loss) => sum + loss.rowCount, 0);
  const message =
    `the folder is incomplete: ${what}. Lost would be up to ${rowCount} entries. ` +
    "Put back what is missing, or open it without with --accept-loss";
  const parts = losses.map(({ name }) => name).join(",");
  const remedy = "--accept-loss";
  return new MemoryError("runtime_error", message, { reason: "folder_incomplete", parts, remedy });
}
