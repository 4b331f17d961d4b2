import { stat } from "node:fs/promises";
import { createDirectory, type DirectoryLock, lockDirectory } from "@membus/disk";
import { type Clock, MemoryError } from "@membus/protocol";
import type { Logger, PluginServices } from "@membus/protocol/plugin";
import { checkFormat } from "./format-file.js";

/** A tier's directory while this process has it locked. */
export interface LockedDirectory {
  readonly path: string;
  /** Unlocks the directory. */
  release(): Promise<void>;
}

/**
 * Locks the tier's data directory for this process (clause PLUG-17) and creates it if it is missing.
 * @throws {MemoryError} `unavailable` without a directory, or with one that is not writable. `conflict`
 * naming its owner. `unsupported` for a newer format.
 */
export async function lockTierDirectory({
  dataDirectory,
  tier,
  clock,
  logger,
}: PluginServices): Promise<LockedDirectory> {
  if (dataDirectory === undefined)
    throw new MemoryError("unavailable", `tier ${tier} needs a data directory`);
  const lock = await lockWritable(dataDirectory, clock);
  try {
    await checkFormat(dataDirectory, logger);
    await warnIfReadable(dataDirectory, logger);
    return { path: dataDirectory, release: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Error codes of a folder that is not writable. */
const UNWRITABLE = new Set(["EROFS", "EACCES", "EPERM"]);

async function lockWritable(directory: string, clock: Clock): Promise<DirectoryLock> {
  try {
    await createDirectory(directory);
    return await lockDirectory(directory, { clock });
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (!UNWRITABLE.has(code)) throw cause;
    const message = `${directory} is not writable (${code}). Use membus up --read-only to serve it unchanged`;
    throw new MemoryError("unavailable", message, { reason: code }, { cause });
  }
}

/**
 * Warns if other users can read the folder. New folders are private, and the mode of existing ones is not
 * changed. Windows has no such modes.
 */
async function warnIfReadable(directory: string, logger: Logger): Promise<void> {
  const { mode } = await stat(directory);
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  const shown = (mode & 0o777).toString(8);
  logger.warn(
    { directory, mode: shown },
    "other users of this machine can read the folder, run chmod 700 on it",
  );
}
