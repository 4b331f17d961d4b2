import { access, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../directory/index.js";

/** Names of the copies of damaged files that a repair makes. */
const SET_ASIDE = /\.corrupt-\d+$/;

/** Removes the copies of damaged files from a log's directory. */
export async function removeSetAside(directory: string): Promise<void> {
  const names = await namesSetAside(directory);
  for (const name of names) await rm(join(directory, name));
  if (names.length > 0) await syncDirectory(directory);
}

export async function hasSetAside(directory: string): Promise<boolean> {
  return (await namesSetAside(directory)).length > 0;
}

async function namesSetAside(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => SET_ASIDE.test(name));
}

/** Renames a file to an unused name with this suffix and returns the name. */
export async function renameAside(path: string, suffix: "corrupt" | "foreign"): Promise<string> {
  const aside = await unusedPath(path, suffix);
  await rename(path, aside);
  return aside;
}

/** Returns a name for a copy of a file that no earlier copy has. */
export async function unusedPath(path: string, suffix: "corrupt" | "foreign"): Promise<string> {
  for (let n = 1; ; n++) {
    const candidate = `${path}.${suffix}-${n}`;
    const isUsed = await access(candidate).then(
      () => true,
      () => false,
    );
    if (!isUsed) return candidate;
  }
}
