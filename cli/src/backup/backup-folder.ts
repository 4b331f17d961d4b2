import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "@membus/disk";
import { type BackupManifest, MANIFEST, readManifest, sizeOf } from "./backup-manifest.js";

/** Name of a backup: its time, with the colons replaced because not all file systems allow them. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const PARTIAL = ".partial";
/** Data folder that is written while a cluster is backed up. */
export const CLUSTER_COPY = `cluster${PARTIAL}`;

export interface KeptBackup {
  /** Name of its folder. */
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  /** Reason why it cannot be restored, if its manifest is missing or damaged. */
  readonly problem?: string;
}

export function backupName(takenAt: Date): string {
  return takenAt.toISOString().replaceAll(":", "-");
}

/** Returns the names of the complete backups in a folder, oldest first. */
export async function listBackups(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => NAME.test(name)).sort();
}

/** Describes the backups in a folder, oldest first. */
export async function describeBackups(folder: string): Promise<KeptBackup[]> {
  const kept: KeptBackup[] = [];
  for (const name of await listBackups(folder)) {
    try {
      const manifest = await readManifest(join(folder, name));
      if (manifest === undefined) throw new Error(`${MANIFEST} is missing`);
      kept.push({ name, files: manifest.files.length, bytes: sizeOf(manifest) });
    } catch (error) {
      kept.push({ name, files: 0, bytes: 0, problem: (error as Error).message });
    }
  }
  return kept;
}

/**
 * Moves a new backup into place once `write` has filled it, so that a backup is either complete or absent.
 */
export async function placeBackup<T>(
  folder: string,
  name: string,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  const partial = join(folder, name + PARTIAL);
  try {
    const written = await write(partial);
    await rename(partial, join(folder, name));
    await syncDirectory(folder);
    return written;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Removes the remains of backups that were killed. */
export async function removePartial(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names) {
    if (name === CLUSTER_COPY || (name.endsWith(PARTIAL) && NAME.test(name.slice(0, -PARTIAL.length))))
      await rm(join(folder, name), { recursive: true });
  }
}

/**
 * Removes all but the newest `keep` backups, and never the new one. A removal that is killed leaves no folder
 * that looks like a complete backup.
 */
export async function prune(folder: string, keep: number, made: string): Promise<string[]> {
  const older = (await listBackups(folder)).filter((name) => name !== made);
  const removed = older.slice(0, Math.max(0, older.length - (keep - 1)));
  for (const name of removed) {
    await rename(join(folder, name), join(folder, name + PARTIAL));
    await rm(join(folder, name + PARTIAL), { recursive: true });
  }
  if (removed.length > 0) await syncDirectory(folder);
  return removed;
}

/**
 * Returns the latest backup with a readable manifest. Damaged backups are skipped, so that no files are
 * shared with them.
 */
export async function latestBackup(
  folder: string,
): Promise<{ readonly path: string; readonly manifest: BackupManifest } | undefined> {
  for (const name of (await listBackups(folder)).reverse()) {
    const path = join(folder, name);
    const manifest = await readManifest(path).catch(() => undefined);
    if (manifest !== undefined) return { path, manifest };
  }
  return undefined;
}
