import { link, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { createDirectory, lockDirectory } from "@membus/disk";
import { systemClock } from "@membus/protocol";
import type { OnProgress } from "../terminal/task-progress.js";
import {
  backupName,
  describeBackups,
  type KeptBackup,
  latestBackup,
  placeBackup,
  prune,
  removePartial,
} from "./backup-folder.js";
import { type BackupFile, writeManifest } from "./backup-manifest.js";
import { ByteProgress } from "./byte-progress.js";
import { bytesBelow, copyFileSynced, filesBelow, syncFolders } from "./copy-file.js";
import { refusePartial } from "./restore.js";
import { withSnapshot } from "./staged-snapshot.js";
import { tiersOf } from "./tier-folders.js";

export interface BackupOptions extends BackupTarget {
  readonly data: string;
}

export interface BackupTarget {
  /** Folder of all backups. Each backup is a subfolder named by its time. */
  readonly folder: string;
  /** Number of backups to keep, at least 1. Undefined keeps all. */
  readonly keep?: number | undefined;
  /** Receives the bytes of files that are copied or shared. */
  readonly onProgress?: OnProgress;
}

export interface BackupReport {
  /** Path of the new backup. */
  readonly backup: string;
  readonly files: number;
  readonly bytes: number;
  /** Files that were not in the previous backup. */
  readonly copied_files: number;
  readonly copied_bytes: number;
  readonly removed: readonly string[];
  readonly kept: readonly KeptBackup[];
}

/**
 * Backs up a data folder, with or without a running host. Files that the latest backup already has are shared
 * with it.
 * @throws {TypeError} if there is no data folder, if it is partly restored, or if it contains the backup
 * folder.
 */
export async function backUp({ data, ...target }: BackupOptions): Promise<BackupReport> {
  const isInside = !relative(data, target.folder).startsWith("..");
  if (isInside)
    throw new TypeError(`${target.folder} is inside the data folder: choose a backup folder outside of it`);
  await refusePartial(data);
  return backUpFrom((use) => withSnapshot(data, use), target);
}

/**
 * Backs up a folder with the files of a data folder, which do not change while `withFiles` runs its argument. Files that the latest
 * backup already has are shared with it.
 */
export async function backUpFrom(
  withFiles: <T>(use: (files: string) => Promise<T>) => Promise<T>,
  { folder, keep, onProgress = () => {} }: BackupTarget,
): Promise<BackupReport> {
  await createDirectory(folder);
  const lock = await lockDirectory(folder, { clock: systemClock });
  try {
    await removePartial(folder);
    const takenAt = new Date(systemClock.now() * 1_000);
    const name = backupName(takenAt);
    const copied = await placeBackup(folder, name, (partial) => {
      return withFiles((files) => copySnapshot(files, partial, { folder, takenAt, onProgress }));
    });
    const removed = keep === undefined ? [] : await prune(folder, keep, name);
    const kept = await describeBackups(folder);
    const { files, bytes } = kept.find((backup) => backup.name === name)!;
    return { backup: join(folder, name), files, bytes, ...copied, removed, kept };
  } finally {
    await lock.release();
  }
}

interface CopyContext {
  readonly folder: string;
  readonly takenAt: Date;
  readonly onProgress: OnProgress;
}

async function copySnapshot(
  snapshot: string,
  target: string,
  { folder, takenAt, onProgress }: CopyContext,
): Promise<Pick<BackupReport, "copied_files" | "copied_bytes">> {
  const before = await latestBackup(folder);
  const known = new Map(before?.manifest.files.map((file) => [file.path, file]));
  const files: BackupFile[] = [];
  let [copied_files, copied_bytes] = [0, 0];
  const progress = new ByteProgress(await bytesBelow(snapshot), onProgress);
  for (const path of await filesBelow(snapshot)) {
    const { size: sizeBytes, mtimeMs } = await stat(join(snapshot, path));
    await createDirectory(dirname(join(target, path)));
    const previous = known.get(path);
    const isSame = previous?.sizeBytes === sizeBytes && previous.mtimeMs === mtimeMs;
    if (isSame && (await isShared(join(before!.path, path), join(target, path)))) {
      files.push(previous);
      progress.add(sizeBytes, path);
      continue;
    }
    const sha256 = await copyFileSynced(join(snapshot, path), join(target, path), (count) =>
      progress.add(count, path),
    );
    files.push({ path, sizeBytes, mtimeMs, sha256 });
    copied_files++;
    copied_bytes += sizeBytes;
  }
  const tiers = tiersOf(files.map(({ path }) => path));
  await writeManifest(target, { format: 1, takenAt: takenAt.toISOString(), tiers, files });
  await syncFolders(target);
  return { copied_files, copied_bytes };
}

/**
 * Hard-links the file of the previous backup. Returns false if the file system cannot or the file is absent:
 * the caller then copies it.
 */
function isShared(source: string, target: string): Promise<boolean> {
  return link(source, target).then(
    () => true,
    () => false,
  );
}
