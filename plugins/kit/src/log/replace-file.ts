import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "./directory.js";

/** Writes a file anew: after a crash there is the old one or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeSynced(`${path}.new`, text);
  await rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
