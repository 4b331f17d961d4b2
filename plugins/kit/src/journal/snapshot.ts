import { join } from "node:path";
import { createDirectory, isMissingFile, type Log, linkFile } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import type { Storage } from "../storage.js";
import type { Flusher } from "./flusher.js";
import type { FolderManifest } from "./folder-manifest.js";

/** Never changed, but replaced. */
const MARKERS = ["format", "generation.json"];

export interface SnapshotParts {
  /** The tier's. */
  readonly directory: string;
  readonly log: Pick<Log, "snapshot">;
  readonly storage: Storage;
  readonly manifest: FolderManifest;
  readonly flusher: Pick<Flusher, "holdStill">;
}

/**
 * Puts the tier into `target` as it is at one point of its log, behind all that is acknowledged by now: what a crash
 * would leave there, and opened like that. Its files may be the tier's own under other names, to be read and not written.
 * @throws {MemoryError} `unsupported` where the storage cannot.
 */
export async function snapshot(
  target: string,
  { directory, log, storage, manifest, flusher }: SnapshotParts,
): Promise<void> {
  if (storage.snapshot === undefined) {
    throw new MemoryError("unsupported", "the tier's storage cannot be copied while it is in use");
  }
  await createDirectory(target);
  await flusher.holdStill(async () => {
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
