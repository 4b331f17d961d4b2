import { stat } from "node:fs/promises";
import { createDirectory, type DirectoryLock, lockDirectory } from "@membus/disk";
import { type Clock, type Logger, MemoryError, type PluginServices } from "@membus/protocol";
import { checkFormat } from "./format-file.js";

/** A tier's directory while it is this process's alone. */
export interface OwnDirectory {
  readonly path: string;
  /** Lets the next owner in. */
  release(): Promise<void>;
}

/**
 * Takes the tier's data directory for this process (clause PLUG-17), creating it where it is missing.
 * @throws {MemoryError} `unavailable` without one, or one that cannot be written; `conflict` naming its owner; `unsupported` for a newer format.
 */
export async function ownDirectory({
  dataDirectory,
  tier,
  clock,
  logger,
}: PluginServices): Promise<OwnDirectory> {
  if (dataDirectory === undefined)
    throw new MemoryError("unavailable", `tier ${tier} needs a data directory`);
  const lock = await lockOwn(dataDirectory, clock);
  try {
    await checkFormat(dataDirectory, logger);
    await warnOfReaders(dataDirectory, logger);
    return { path: dataDirectory, release: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What a system says of a folder that it lets nobody, or not this user, write to. */
const UNWRITABLE = new Set(["EROFS", "EACCES", "EPERM"]);

async function lockOwn(directory: string, clock: Clock): Promise<DirectoryLock> {
  try {
    await createDirectory(directory);
    return await lockDirectory(directory, { clock });
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (!UNWRITABLE.has(code)) throw cause;
    const message = `${directory} cannot be written (${code}); membus up --read-only serves it as it is`;
    throw new MemoryError("unavailable", message, { reason: code }, { cause });
  }
}

/** New folders are their owner's alone; one that others may look into is left as it is. Windows has no such modes. */
async function warnOfReaders(directory: string, logger: Logger): Promise<void> {
  const { mode } = await stat(directory);
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  const shown = (mode & 0o777).toString(8);
  logger.warn(
    { directory, mode: shown },
    "other users of this machine may look into the folder: chmod 700 it",
  );
}
