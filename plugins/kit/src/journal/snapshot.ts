import { join } from "node:path";
import { createDirectory, isMissingFile, type Log, linkFile } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import type { Storage } from "../storage.js";
import type { Flusher } from "./flusher.js";
import type { FolderManifest } from "./folder-manifest.js";

/** Files that are replaced and never modified in place. */
const MARKERS = ["format", "generation.json"];

export interface SnapshotParts {
  /** The tier's directory. */
  readonly directory: string;
  readonly log: Pick<Log, "snapshot">;
  readonly storage: Storage;
  readonly manifest: FolderManifest;
  readonly flusher: Pick<Flusher, "pauseWrites">;
}

/**
 * Writes a snapshot of the tier at one point of its log into `target`, with all acknowledged mutations. It
 * has the state after a crash and is opened the same way. Its files may be links to the tier's own files and
 * must not be written to.
 * @throws {MemoryError} `unsupported` if the storage has no snapshots.
 */
export async function snapshot(
  target: string,
  { directory, log, storage, manifest, flusher }: SnapshotParts,
): Promise<void> {
  if (storage.snapshot === undefined) {
    throw new MemoryError(
      "unsupported",
      "the tier's storage does not support snapshots. Stop the host and copy the folder",
    );
  }
  await createDirectory(target);
  await flusher.pauseWrites(async () => {
    for (const name of MARKERS) await linkPresent(join(directory, name), join(target, name));
    await storage.snapshot?.(target);
    await manifest.writeTo(target, await log.snapshot(join(target, "log")));
  });
}

async function linkPresent(source: string, target: string): Promise<void> {
  await linkFile(source, target).catch((error: unknown) => {
    if (!isMissingFile(error)) throw error;
  });
}
