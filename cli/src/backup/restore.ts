import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createDirectory, isMissingFile, readText, replaceFile, syncDirectory } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import { latestBackup } from "./backup-folder.js";
import { type BackupManifest, readManifest } from "./backup-manifest.js";
import { copyFileSynced, syncFolders } from "./copy-file.js";

/** In a data folder that is being restored. No host may open it: tiers that are not there yet would be new to it. */
const MARK = "restore.partial";
/** A file system makes it at its root. */
const NOT_OURS = "lost+found";

export interface RestoreReport {
  readonly backup: string;
  readonly taken_at: string;
  readonly data: string;
  readonly files: number;
}

/**
 * Puts a backup, or the latest of a folder of them, into a data folder that is empty or not there. Every file is compared
 * with its checksum; one that is another one leaves the folder empty.
 * @throws {TypeError} for what is no backup, and for a folder that is not empty; {MemoryError} `runtime_error` naming a
 * damaged file.
 */
export async function restore(given: string, data: string): Promise<RestoreReport> {
  const { path, manifest } = await findBackup(given);
  await createDirectory(data);
  await clearPartial(data);
  if ((await ownEntries(data)).length > 0) {
    throw new TypeError(`${data} is not empty: restore into a new folder, and move that there`);
  }
  await replaceFile(join(data, MARK), `${path}\n`);
  try {
    for (const file of manifest.files) {
      await createDirectory(dirname(join(data, file.path)));
      const sha256 = await copyFileSynced(join(path, file.path), join(data, file.path));
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

/** @throws {TypeError} for a folder with a restore that did not come to its end. */
export async function refusePartial(data: string): Promise<void> {
  const backup = await readText(join(data, MARK));
  if (backup === undefined) return;
  throw new TypeError(`${data} is half restored: run \`membus restore ${backup.trim()}\` for it again`);
}

async function findBackup(given: string): Promise<{ path: string; manifest: BackupManifest }> {
  const manifest = await readManifest(given);
  if (manifest !== undefined) return { path: given, manifest };
  const latest = await latestBackup(given).catch(() => undefined);
  if (latest !== undefined) return latest;
  throw new TypeError(`${given} is no backup, nor a folder that \`membus backup\` has written`);
}

/** All that is beside the mark came with it: it is only put into an empty folder. */
async function clearPartial(data: string): Promise<void> {
  const names = await ownEntries(data);
  if (!names.includes(MARK)) return;
  for (const name of names) if (name !== MARK) await rm(join(data, name), { recursive: true });
  await syncDirectory(data);
  await rm(join(data, MARK));
}

async function ownEntries(data: string): Promise<string[]> {
  return (await readdir(data)).filter((name) => name !== NOT_OURS);
}

function damaged(file: string, cause?: unknown): MemoryError {
  const message = `the backup is damaged: ${file} is not as it was; nothing was restored`;
  return new MemoryError("runtime_error", message, { reason: "backup_damaged", file }, { cause });
}
