import { readFile } from "node:fs/promises";
import { type Disk, isMissing, isNoDirectory, replaceFile } from "./disk.js";

/** Mark in a table's directory that names the owning folder and table. */
interface Owner {
  readonly folder: string;
  readonly table: string;
}

/**
 * Returns the folder that a table belongs to. Undefined if the mark is missing or unreadable. It is then
 * created again.
 */
export async function readOwner(path: string, table: string): Promise<string | undefined> {
  const owner = await readMark(path);
  return owner === undefined || owner.table === table ? owner?.folder : "another table";
}

export async function writeOwner(path: string, owner: Owner, disk: Disk): Promise<void> {
  const found = await readMark(path);
  if (found?.folder !== owner.folder || found.table !== owner.table)
    await replaceFile(path, JSON.stringify(owner), disk);
}

async function readMark(path: string): Promise<Owner | undefined> {
  try {
    const { folder, table } = JSON.parse(await readFile(path, "utf8")) as Partial<Owner>;
    return typeof folder === "string" && typeof table === "string" ? { folder, table } : undefined;
  } catch (error) {
    if (isMissing(error) || isNoDirectory(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
