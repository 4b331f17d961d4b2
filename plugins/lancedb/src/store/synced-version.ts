import { readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@membus/protocol/plugin";
import { type Disk, isMissing, listNames, replaceFile } from "./disk.js";
import type { SyncedVersion } from "./table-store.js";

export const SYNCED = "_synced.json";
const VERSIONS = "_versions";
/** LanceDB names manifests so that the newest is listed first. */
const MANIFEST = /^(\d{20})\.manifest$/;
const NEWEST = 2n ** 64n - 1n;

/**
 * Returns undefined if the file does not exist. For a damaged file returns the newest version with a pending
 * purge.
 */
export async function readSyncedVersion(
  tableDirectory: string,
  logger: Logger,
): Promise<SyncedVersion | undefined> {
  const path = join(tableDirectory, SYNCED);
  try {
    const text = await readFile(path, "utf8");
    const synced = parseSynced(text);
    if (synced !== undefined) return synced;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const version = await newestVersion(tableDirectory);
  logger.warn({ file: path, version }, "the file is damaged, using the newest version of the table");
  return { version, purged: false, cleanBytes: 0 };
}

function parseSynced(text: string): SyncedVersion | undefined {
  try {
    const { version, purged, cleanBytes = 0, ...rows } = (JSON.parse(text) ?? {}) as Partial<SyncedVersion>;
    if (version === undefined || !Number.isSafeInteger(version) || typeof purged !== "boolean")
      return undefined;
    return { version, purged, cleanBytes, ...rows };
  } catch {
    return undefined;
  }
}

export async function writeSyncedVersion(
  tableDirectory: string,
  synced: SyncedVersion,
  disk: Disk,
): Promise<void> {
  await replaceFile(join(tableDirectory, SYNCED), JSON.stringify(synced), disk);
}

/** Returns the newest version with a manifest in the directory, 0 if there is none. */
export async function newestVersion(tableDirectory: string): Promise<number> {
  return Math.max(0, ...(await listVersions(tableDirectory)));
}

/** Removes all versions after a synced version. Returns their number. */
export async function rollBack(
  tableDirectory: string,
  { version }: SyncedVersion,
  disk: Disk,
): Promise<number> {
  const later = (await listVersions(tableDirectory)).filter((listed) => listed > version);
  const directory = join(tableDirectory, VERSIONS);
  for (const listed of later) await unlink(join(directory, manifestName(listed)));
  if (later.length > 0) await disk.syncDirectory(directory);
  return later.length;
}

async function listVersions(tableDirectory: string): Promise<number[]> {
  const names = await listNames(join(tableDirectory, VERSIONS));
  return names.flatMap((name) => versionOfManifest(name) ?? []);
}

/** Returns undefined if the file is not a manifest. */
export function versionOfManifest(name: string): number | undefined {
  const digits = MANIFEST.exec(name)?.[1];
  return digits === undefined ? undefined : Number(NEWEST - BigInt(digits));
}

function manifestName(version: number): string {
  return `${String(NEWEST - BigInt(version)).padStart(20, "0")}.manifest`;
}
