import { join } from "node:path";
import { crc32 } from "node:zlib";
import { MemoryError, type MemoryTier } from "@membus/protocol";
import type { FolderFacts } from "./folder-facts.js";
import type { ManifestStore, Markers } from "./tier-place.js";

/** Name of the file that lists the expected contents of a tier's folder. */
export const MANIFEST_FILE = "folder.json";

/** The file's contents. */
interface WrittenFacts extends FolderFacts {
  /** CRC-32 of the JSON of the other fields, because a changed id or number would hide intact entries. */
  readonly checksum: number;
}

/**
 * Stores the facts of a tier in a file of its folder.
 * @returns a store. Its `claim` throws `runtime_error` for the folder of another tier.
 */
export function manifestFile(directory: string, tier: MemoryTier, files: Markers): ManifestStore {
  return {
    async claim(make) {
      const found = await files.read<WrittenFacts>(MANIFEST_FILE, isValid);
      if (found === undefined) return make();
      if (found.tier !== tier) throw foreignFolder(directory, found.tier, tier);
      const { checksum: _, ...facts } = found;
      return facts;
    },
    write: (facts) =>
      files.write(MANIFEST_FILE, { ...facts, checksum: checksumOf(facts) } satisfies WrittenFacts),
  };
}

function foreignFolder(directory: string, found: MemoryTier, tier: MemoryTier): MemoryError {
  const message = `${directory} belongs to the ${found} tier: configure a folder of the ${tier} tier`;
  const path = join(directory, MANIFEST_FILE);
  return new MemoryError("runtime_error", message, { reason: "folder_foreign", path, tier: found });
}

function checksumOf(facts: Partial<FolderFacts>): number {
  return crc32(JSON.stringify(facts));
}

function isValid({ checksum, ...facts }: Partial<WrittenFacts>): boolean {
  if (checksum !== checksumOf(facts)) return false;
  const { id, tier, flushedSeq, newestAt, erased, erasing, scopes, log, parts } = facts;
  const hasMark = Number.isSafeInteger(erased?.seq) && Number.isFinite(erased?.at);
  const hasNumbers = Number.isSafeInteger(flushedSeq) && Number.isFinite(newestAt) && hasMark;
  const hasLists = [scopes, log, parts, erasing].every(Array.isArray);
  return typeof id === "string" && typeof tier === "string" && hasNumbers && hasLists;
}
