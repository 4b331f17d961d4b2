import { constants } from "node:fs";
import { copyFile, link } from "node:fs/promises";

/** Gives a complete file its final name, unless another process has created that file. */
export async function linkNew(draft: string, path: string): Promise<void> {
  try {
    // Some file systems have no hard links.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw error;
      return copyFile(draft, path, constants.COPYFILE_EXCL);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
