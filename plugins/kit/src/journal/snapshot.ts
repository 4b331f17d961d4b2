import { join } from "node:path";
import type { Log } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { createFolder, type FolderManifest, type Markers, manifestFile } from "../place/index.js";
import type { Storage } from "../storage.js";
import type { Flusher } from "./flusher.js";

export interface SnapshotParts {
  readonly markers: Markers;
  readonly log: Pick<Log, "snapshot">;
  readonly storage: Storage;
  readonly manifest: FolderManifest;
  readonly flusher: Pick<Flusher, "pauseWrites">;
  readonly logger: Logger;
  /** Names of the markers that belong to the rows. */
  readonly rowMarkers: readonly string[];
}

/**
 * Writes a snapshot of the tier at one point of its log into the new folder `target`, with all acknowledged
 * mutations. It has the state after a crash and is opened the same way. Its files may be links to the tier's
 * own files and must not be written to.
 * @throws {MemoryError} `unsupported` if the storage has no snapshots.
 */
export async function snapshot(
  target: string,
  { markers, log, storage, manifest, flusher, logger, rowMarkers }: SnapshotParts,
): Promise<void> {
  if (storage.snapshot === undefined) {
    throw new MemoryError(
      "unsupported",
      "the tier's storage does not support snapshots. Stop the host and copy the folder",
    );
  }
  const copied = await createFolder(target, logger);
  await flusher.pauseWrites(async () => {
    for (const name of rowMarkers) {
      const value = await markers.read(name, () => true);
      if (value !== undefined) await copied.write(name, value);
    }
    await storage.snapshot?.(target);
    const facts = { ...manifest.facts, log: await log.snapshot(join(target, "log")) };
    await manifestFile(target, facts.tier, copied).write(facts);
  });
}
