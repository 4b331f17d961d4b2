import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createDirectory, linkFile, linkTree } from "@membus/disk";
import type { Logger } from "@membus/protocol";
import { isMissing } from "../disk.js";
import { DRAFT } from "./drafts.js";
import { readSyncedVersion, SYNCED, versionOfManifest } from "./synced-version.js";
import { LATEST_HINT } from "./table-files.js";

/**
 * Links all tables, each as it was last synced, and the changes that wait for damaged ones. What is set aside stays behind.
 * Tables may be opened and closed meanwhile, but not written to.
 */
export async function linkTables(source: string, target: string, logger: Logger): Promise<void> {
  await createDirectory(target);
  for (const name of await readdir(source)) {
    const [from, to] = [join(source, name), join(target, name)];
    if (name.endsWith(".lance")) await linkTable(from, to, logger);
    else if (name.endsWith(".waiting")) await linkFile(from, to);
  }
}

/** What opening takes away is left out: drafts, and what came after the version that is on disk for good. */
async function linkTable(source: string, target: string, logger: Logger): Promise<void> {
  await createDirectory(target);
  // First, and read from there: it may be replaced by a later one, of the same version.
  await linkFile(join(source, SYNCED), join(target, SYNCED)).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  const version = (await readSyncedVersion(target, logger))?.version ?? Number.POSITIVE_INFINITY;
  const isWanted = (name: string) =>
    name !== SYNCED && name !== LATEST_HINT && !DRAFT.test(name) && (versionOfManifest(name) ?? 0) <= version;
  await linkTree(source, target, isWanted);
}
