import { createDirectory, lockDirectory } from "@membus/disk";
import { MemoryError, type PluginServices } from "@membus/protocol";
import { checkFormat } from "./format-file.js";

/** A tier's directory while it is this process's alone. */
export interface OwnDirectory {
  readonly path: string;
  /** Lets the next owner in. */
  release(): Promise<void>;
}

/**
 * Takes the tier's data directory for this process (clause PLUG-17), creating it where it is missing.
 * @throws {MemoryError} `unavailable` without one; `conflict` naming its owner; `unsupported` for a newer format.
 */
export async function ownDirectory({
  dataDirectory,
  tier,
  clock,
  logger,
}: PluginServices): Promise<OwnDirectory> {
  if (dataDirectory === undefined)
    throw new MemoryError("unavailable", `tier ${tier} needs a data directory`);
  await createDirectory(dataDirectory);
  const lock = await lockDirectory(dataDirectory, { clock });
  try {
    await checkFormat(dataDirectory, logger);
    return { path: dataDirectory, release: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
