import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "@membus/disk";
import { type BackupManifest, MANIFEST, readManifest, sizeOf } from "./backup-manifest.js";

/** A backup by its time, in the names of which colons are no good. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const PARTIAL = ".partial";

export interface KeptBackup {
  /** Of its folder. */
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  /** Why it cannot be restored, as far as a look at its manifest tells. */
  readonly problem?: string;
}

export function backupName(takenAt: Date): string {
  return takenAt.toISOString().replaceAll(":", "-");
}

/** Names of the whole backups in a folder, the oldest first. */
export async function listBackups(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => NAME.test(name)).sort();
}

/** What is kept in a folder, the oldest first. */
export async function describeBackups(folder: string): Promise<KeptBackup[]> {
  const kept: KeptBackup[] = [];
  for (const name of await listBackups(folder)) {
    try {
      const manifest = await readManifest(join(folder, name));
      if (manifest === undefined) throw new Error(`it has no ${MANIFEST}`);
      kept.push({ name, files: manifest.files.length, bytes: sizeOf(manifest) });
    } catch (error) {
      kept.push({ name, files: 0, bytes: 0, problem: (error as Error).message });
    }
  }
  return kept;
}

/** Puts a new backup in its place once `write` has filled it: there is the whole of it or nothing. */
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

/** What killed backups have left goes. */
export async function removePartial(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names) {
    if (name.endsWith(PARTIAL) && NAME.test(name.slice(0, -PARTIAL.length)))
      await rm(join(folder, name), { recursive: true });
  }
}

/** Removes all but the newest `keep`, and not the one that was just made. A killed removal leaves none that looks whole. */
export async function prune(folder: string, keep: number, made: string): Promise<string[]> {
  const older = (await listBackups(folder)).filter((name) => name !== made);
  const gone = older.slice(0, Math.max(0, older.length - (keep - 1)));
  for (const name of gone) {
    await rename(join(folder, name), join(folder, name + PARTIAL));
    await rm(join(folder, name + PARTIAL), { recursive: true });
  }
  if (gone.length > 0) await syncDirectory(folder);
  return gone;
}

/** The latest backup and what it consists of. One that is damaged is passed over: nothing is shared with it. */
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
