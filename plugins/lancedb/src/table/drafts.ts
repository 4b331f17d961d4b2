import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../disk.js";

/** LanceDB writes a file under such a name, and renames it when it is whole. */
export const DRAFT = /^\.tmp/;

/** Removes what a killed process was writing below a directory. Nothing may be written there meanwhile. */
export async function removeDrafts(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(noEntries);
  const drafts = entries.filter((entry) => entry.isFile() && DRAFT.test(entry.name));
  await Promise.all(drafts.map((entry) => unlink(join(entry.parentPath, entry.name))));
}

function noEntries(error: unknown): [] {
  if (isMissing(error)) return [];
  throw error;
}
