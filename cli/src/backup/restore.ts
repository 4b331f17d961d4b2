import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createDirectory, isMissingFile, readText, replaceFile, syncDirectory } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import type { OnProgress } from "../terminal/task-progress.js";
import { latestBackup } from "./backup-folder.js";
import { type BackupManifest, readManifest } from "./backup-manifest.js";
import { ByteProgress } from "./byte-progress.js";
import { copyFileSynced, isPlainPath, syncFolders } from "./copy-file.js";

/**
 * Marks a data folder that is being restored. No host may open it, because it would treat missing tiers as
 * new ones.
 */
const MARK = "restore.partial";
/** Folder that a file system creates at its root. */
const LOST_AND_FOUND = "lost+found";

export interface RestoreReport {
  readonly backup: string;
  readonly taken_at: string;
  readonly data: string;
  readonly files: number;
}

/**
 * Restores a backup, or the latest of a folder of backups, into a data folder that is empty or absent. The
 * checksum of every file is verified. A wrong checksum or a symbolic link leaves the folder empty.
 * @throws {TypeError} if `given` is not a backup, or the data folder is not empty.
 * @throws {MemoryError} `runtime_error` naming a damaged file.
 */
export async function restore(
  given: string,
  data: string,
  onProgress: OnProgress = () => {},
): Promise<RestoreReport> {
  const { path, manifest } = await findBackup(given);
  await createDirectory(data);
  await clearPartial(data);
  if ((await dataEntries(data)).length > 0) {
    throw new TypeError(`${data} is not empty: restore into a new folder, then move it there`);
  }
  await replaceFile(join(data, MARK), `${path}\n`);
  try {
    const bytes = manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const progress = new ByteProgress(bytes, onProgress);
    for (const file of manifest.files) {
      if (!(await isPlainPath(path, file.path))) throw linked(join(path, file.path));
      await createDirectory(dirname(join(data, file.path)));
      const sha256 = await copyFileSynced(join(path, file.path), join(data, file.path), (count) =>
        progress.add(count, file.path),
      );
      if (sha256 !== file.sha256) throw damaged(join(path, file.path));
    }
  } catch (error) {
    await clearPartial(data);
    throw isMissingFile(error) ? damaged((error as NodeJS.ErrnoException).path ?? path, error) : error;
  }
  await syncFolders(data);
  await rm(join(data, MARK));
  await syncDirectory(data);
  return { backup: path, taken_at: manifest.takenAt, data, files: manifest.files.length };
}

/** @throws {TypeError} for a folder with an interrupted restore. */
export async function refusePartial(data: string): Promise<void> {
  const backup = await readText(join(data, MARK));
  if (backup === undefined) return;
  throw new TypeError(`${data} is only partly restored: run \`membus restore ${backup.trim()}\` again`);
}

async function findBackup(given: string): Promise<{ path: string; manifest: BackupManifest }> {
  const manifest = await readManifest(given);
  if (manifest !== undefined) return { path: given, manifest };
  const latest = await latestBackup(given).catch(() => undefined);
  if (latest !== undefined) return latest;
  throw new TypeError(`${given} is neither a backup nor a folder written by \`membus backup\``);
}

/** Removes a partial restore. All other files came with it, because a restore starts with an empty folder. */
async function clearPartial(data: string): Promise<void> {
  const names = await dataEntries(data);
  if (!names.includes(MARK)) return;
  for (const name of names) if (name !== MARK) await rm(join(data, name), { recursive: true });
  await syncDirectory(data);
  await rm(join(data, MARK));
}

async function dataEntries(data: string): Promise<string[]> {
  return (await readdir(data)).filter((name) => name !== LOST_AND_FOUND);
}

function linked(file: string): MemoryError {
  const message = `the backup is damaged: ${file} leads through a symbolic link. Nothing was restored`;
  return new MemoryError("runtime_error", message, { reason: "backup_damaged", file });
}

function damaged(file: string, cause?: unknown): MemoryError {
  const message = `the backup is damaged: the checksum of ${file} is wrong or the file is missing. Nothing was restored`;
  return new MemoryError("runtime_error", message, { reason: "backup_damaged", file }, { cause });
}
