import { join } from "node:path";
import type { Log } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import {
  createFolder,
  type FolderManifest,
  GENERATION_MARKER,
  manifestFile,
  type TierPlace,
} from "../place/index.js";
import type { Storage } from "../storage.js";
import type { Flusher } from "./flusher.js";

export interface SnapshotParts {
  readonly place: Pick<TierPlace, "markers">;
  readonly log: Pick<Log, "snapshot">;
  readonly storage: Storage;
  readonly manifest: FolderManifest;
  readonly flusher: Pick<Flusher, "pauseWrites">;
  readonly logger: Logger;
}

/**
 * Writes a snapshot of the tier at one point of its log into the new folder `target`, with all acknowledged
 * mutations. It has the state after a crash and is opened the same way. Its files may be links to the tier's
 * own files and must not be written to.
 * @throws {MemoryError} `unsupported` if the storage has no snapshots.
 */
export async function snapshot(
  target: string,
  { place, log, storage, manifest, flusher, logger }: SnapshotParts,
): Promise<void> {
  if (storage.snapshot === undefined) {
    throw new MemoryError(
      "unsupported",
      "the tier's storage does not support snapshots. Stop the host and copy the folder",
    );
  }
  const copied = await createFolder(target, logger);
  await flusher.pauseWrites(async () => {
    const generation = await place.markers.read(GENERATION_MARKER, () => true);
    if (generation !== undefined) await copied.write(GENERATION_MARKER, generation);
    await storage.snapshot?.(target);
    const parts = await log.snapshot(join(target, "log"));
    // The facts may have changed during the snapshot of the log, and they must not be older than its records.
    const facts = { ...manifest.facts, log: parts };
    await manifestFile(target, facts.tier, copied).write(facts);
  });
}
