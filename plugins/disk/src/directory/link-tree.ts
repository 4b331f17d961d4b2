import { constants, type Dirent } from "node:fs";
import { copyFile, link, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createDirectory } from "./durable-files.js";

/**
 * Error codes of a file system without hard links, of a link across file systems, and of a file with too many
 * links.
 */
const NO_LINKS = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Links an immutable file under another name, or copies it if hard links are not possible. */
export async function linkFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}

/** Links all files below a folder with accepted names into `target`, which is created. */
export async function linkTree(
  source: string,
  target: string,
  isAccepted: (name: string) => boolean = () => true,
): Promise<void> {
  await createDirectory(target);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (!isAccepted(entry.name)) continue;
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    const kind = await kindOf(entry, from);
    if (kind.isDirectory()) await linkTree(from, to, isAccepted);
    else if (kind.isFile()) await linkFile(from, to);
  }
}

/** Returns the kind of an entry. Follows symbolic links, because part of a folder may be on another disk. */
async function kindOf(entry: Dirent, path: string): Promise<Pick<Dirent, "isFile" | "isDirectory">> {
  return entry.isSymbolicLink() ? stat(path) : entry;
}
