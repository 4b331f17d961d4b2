import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./disk.js";

/** Matches temporary file names of LanceDB, which renames a file when it is complete. */
export const DRAFT = /^\.tmp/;

/**
 * Removes the temporary files of a killed process below a directory. Nothing may be written there
 * concurrently.
 */
export async function removeDrafts(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(noEntries);
  const drafts = entries.filter((entry) => entry.isFile() && DRAFT.test(entry.name));
  await Promise.all(drafts.map((entry) => unlink(join(entry.parentPath, entry.name))));
}

function noEntries(error: unknown): [] {
  if (isMissing(error)) return [];
  throw error;
}
