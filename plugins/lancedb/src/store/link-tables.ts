import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createDirectory, linkFile, linkTree } from "@membus/disk";
import type { Logger } from "@membus/protocol/plugin";
import { isMissing } from "./disk.js";
import { DRAFT } from "./drafts.js";
import { LATEST_HINT } from "./file-sync.js";
import { readSyncedVersion, SYNCED, versionOfManifest } from "./synced-version.js";

/**
 * Links the last synced version of all tables, and the queued changes of damaged tables. Omits tables that
 * were set aside. Tables may be opened and closed concurrently, but not written to.
 */
export async function linkTables(source: string, target: string, logger: Logger): Promise<void> {
  await createDirectory(target);
  for (const name of await readdir(source)) {
    const [from, to] = [join(source, name), join(target, name)];
    if (name.endsWith(".lance")) await linkTable(from, to, logger);
    else if (name.endsWith(".waiting")) await linkFile(from, to);
  }
}

/**
 * Links one table without the files that opening removes: temporary files, and versions after the last synced
 * one.
 */
async function linkTable(source: string, target: string, logger: Logger): Promise<void> {
  await createDirectory(target);
  // Linked first and read from the copy, because it may be replaced by a later one with the same version.
  await linkFile(join(source, SYNCED), join(target, SYNCED)).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  const version = (await readSyncedVersion(target, logger))?.version ?? Number.POSITIVE_INFINITY;
  const isAccepted = (name: string) =>
    name !== SYNCED && name !== LATEST_HINT && !DRAFT.test(name) && (versionOfManifest(name) ?? 0) <= version;
  await linkTree(source, target, isAccepted);
}
