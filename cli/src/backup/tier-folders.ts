import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissingFile } from "@membus/disk";
import { TIERS } from "@membus/protocol";

/**
 * Returns the tier folders of a data folder: `<tier>` of a built-in plugin, `<tier>-<plugin>` of another one.
 * @throws {TypeError} if there are none, because then the folder is not a data folder.
 */
export async function tierFolders(data: string): Promise<string[]> {
  const entries = await readdir(data, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissingFile(error)) return [];
    throw error;
  });
  const folders = entries.filter((entry) => entry.isDirectory() && isTierFolder(entry.name));
  if (folders.length > 0) return folders.map(({ name }) => join(data, name));
  throw new TypeError(`${data} is not a data folder: it contains none of the folders ${TIERS.join(", ")}`);
}

/** Returns the tier folders of a data folder that are not among those that a host serves. */
export async function unservedFolders(
  data: string,
  served: Readonly<Record<string, string>>,
): Promise<string[]> {
  const folders = await tierFolders(data);
  return folders.filter((folder) => !Object.values(served).includes(folder));
}

/** Returns the names of the tier folders that contain the files, which have paths relative to a data folder. */
export function tiersOf(paths: readonly string[]): string[] {
  const folders = paths.filter((path) => path.includes("/")).map((path) => path.split("/")[0]!);
  return [...new Set(folders)].filter(isTierFolder);
}

function isTierFolder(name: string): boolean {
  return TIERS.some((tier) => name === tier || name.startsWith(`${tier}-`));
}
